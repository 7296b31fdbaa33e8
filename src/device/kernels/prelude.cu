// What lets one source be two programs: kernels of a CUDA device, compiled at run time by NVRTC,
// and functions of the host, compiled by any C++ compiler, on which tests run them without a card.
//
// A kernel is a sequence of THREADS sections. Inside one, `t` is the thread and BLOCK the number of
// threads of a block, a power of two up to WIDE; on the device a barrier stands at the end of each
// section, on the host a section is a loop. So a section may read what other threads wrote to
// shared or global memory in the sections before it, and nothing that a thread keeps in a variable
// of its own outlives its section. Sections do not return or nest, and what surrounds them is the
// same for all threads of a block.
//
// REAL is float or double and is given by the compiler's command line.

#ifdef HOST_SHIM
#include <math.h>
#include <stddef.h>
#include <utility>
struct Place {
    int x, y;
};
static thread_local Place blockIdx, gridDim;
static thread_local int BLOCK;
#define KERNEL static void
#define SHARED static thread_local
#define DEVICE static inline
#define THREADS for (int t = 0; t < BLOCK; ++t)
template <class... A, size_t... I>
static void call_with(void (*kernel)(A...), void **args, std::index_sequence<I...>) {
    kernel(*static_cast<A *>(args[I])...);
}
template <class... A>
static void run_blocks(void (*kernel)(A...), int columns, int rows, int block, void **args) {
    gridDim.x = columns, gridDim.y = rows, BLOCK = block;
    for (blockIdx.y = 0; blockIdx.y < rows; ++blockIdx.y)
        for (blockIdx.x = 0; blockIdx.x < columns; ++blockIdx.x)
            call_with(kernel, args, std::make_index_sequence<sizeof...(A)>());
}
#define EXPORT(name)                                                                               \
    extern "C" void run_##name(int columns, int rows, int block, void **args) {                   \
        run_blocks(name, columns, rows, block, args);                                              \
    }
#else
typedef unsigned long size_t;
#define KERNEL extern "C" __global__ void
#define SHARED __shared__
#define DEVICE static __device__ __forceinline__
#define BLOCK ((int)blockDim.x)
#define THREADS for (int t = threadIdx.x, once = 1; once; once = 0, __syncthreads())
#define EXPORT(name)
#endif

// Most threads of a block: the size of arrays with one entry a thread.
#define WIDE 1024

// Minus infinity, without the headers that name it.
DEVICE double lowest() { return log(0.0); }

DEVICE bool is_finite(double x) { return x - x == 0.0; }

// Sums or largest of one entry a thread, in a fixed order; the result is in place 0.
DEVICE void reduce_sum(double *s) {
    for (int half = BLOCK / 2; half > 0; half /= 2) THREADS {
            if (t < half) s[t] += s[t + half];
        }
}

template <class T> DEVICE void reduce_max(T *s) {
    for (int half = BLOCK / 2; half > 0; half /= 2) THREADS {
            if (t < half && s[t] < s[t + half]) s[t] = s[t + half];
        }
}

// Elements of an array, each to one thread of the whole grid.
#define EACH(i, n)                                                                                 \
    for (size_t i = (size_t)blockIdx.x * BLOCK + t; i < (n); i += (size_t)gridDim.x * BLOCK)
