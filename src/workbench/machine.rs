//! What this machine and this process are doing, as the system says.

use super::text;

/// Seconds between two looks.
const EVERY: f64 = 1.0;

/// A look at the machine; what the system does not say is absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Machine {
    /// When it was looked at, seconds since 1970.
    at: f64,
    cores: Option<usize>,
    /// Processes that computed or waited for it, on average over a minute.
    load: Option<f64>,
    /// Bytes.
    own: Option<u64>,
    free: Option<u64>,
    total: Option<u64>,
}

impl Machine {
    /// A look that is not older than a second.
    pub fn look(before: Option<Machine>, now: f64) -> Option<Machine> {
        if before.as_ref().is_some_and(|m| (0.0..EVERY).contains(&(now - m.at))) {
            return before;
        }
        let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let (memory, own) = (read("/proc/meminfo"), read("/proc/self/status"));
        Some(Machine {
            at: now,
            cores: std::thread::available_parallelism().ok().map(usize::from),
            load: load(&read("/proc/loadavg")),
            own: bytes(&own, "VmRSS:"),
            free: bytes(&memory, "MemAvailable:"),
            total: bytes(&memory, "MemTotal:"),
        })
    }

    /// Names and values, those that are known.
    pub fn rows(&self) -> Vec<(&'static str, String)> {
        let memory = |(total, free): (u64, u64)| {
            format!("{} of {}", text::bytes(total.saturating_sub(free)), text::bytes(total))
        };
        let rows = [
            ("cores", self.cores.map(|n| n.to_string())),
            ("load", self.load.map(|load| format!("{load:.1} over a minute"))),
            ("memory in use", self.total.zip(self.free).map(memory)),
            ("of rankspace", self.own.map(text::bytes)),
        ];
        rows.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }
}

fn load(text: &str) -> Option<f64> {
    text.split_whitespace().next()?.parse().ok()
}

/// The value of a line `NAME: N kB`.
fn bytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_does_not_say_has_no_row() {
        assert!(Machine::default().rows().is_empty());
        let text = "VmPeak:\t  9 kB\nVmRSS:\t    2000 kB\n";
        let machine = Machine { own: bytes(text, "VmRSS:"), ..Machine::default() };
        assert_eq!(machine.rows(), [("of rankspace", "2.0 MB".to_owned())]);
        assert_eq!((bytes("VmRSS: much\n", "VmRSS:"), load("")), (None, None));
        assert_eq!(load("1.25 0.80 0.50 1/123 4567"), Some(1.25));
    }

    #[test]
    fn it_looks_once_a_second() {
        let first = Machine::look(None, 10.0).expect("a look");
        assert!(first.cores.is_some());
        assert_eq!(Machine::look(Some(first.clone()), 10.9).map(|m| m.at), Some(10.0));
        assert_eq!(Machine::look(Some(first), 11.0).map(|m| m.at), Some(11.0));
    }
}
