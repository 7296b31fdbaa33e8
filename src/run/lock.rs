use super::pulse::{self, SILENCE};
use super::{RunError, RunFolder, clock};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Who works in a folder, as its `lock` file says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Holder {
    pub schema: u32,
    pub host: String,
    pub pid: u32,
    /// Tells two locks of one process apart.
    pub token: String,
    /// Wall clock of the last sign of life, seconds since 1970.
    pub heartbeat: f64,
}

/// The right to write in a run folder: an operating-system lock (gone when the process is), and
/// a line that names the holder, for machines between which such locks do not reach.
#[derive(Debug)]
pub struct Lock {
    file: File,
    path: PathBuf,
    holder: Holder,
}

impl Lock {
    /// Takes the lock. The second value names a holder that died or fell silent and was
    /// replaced, for a message to the user.
    pub fn acquire(folder: &RunFolder) -> Result<(Lock, Option<Holder>), RunError> {
        let path = folder.lock_path();
        // Another process may replace the file between opening and locking: look again then.
        for _ in 0..16 {
            let file = open(&path).map_err(RunError::io(&path))?;
            let earlier = read(&path).map_err(RunError::io(&path))?;
            let in_use = |h: &Holder| RunError::Locked {
                path: folder.path().to_owned(),
                pid: h.pid,
                host: h.host.clone(),
                seconds: (clock::now() - h.heartbeat).max(0.0),
            };
            let file = match file.try_lock() {
                Ok(()) => {
                    // The system vouches for processes of this machine: whoever is named here
                    // and is of this machine holds nothing any more.
                    if let Some(h) = &earlier
                        && h.host != clock::host()
                        && is_live(&path)
                    {
                        return Err(in_use(h));
                    }
                    file
                }
                Err(TryLockError::WouldBlock) => match &earlier {
                    Some(h) if !is_silent(h, &path) => return Err(in_use(h)),
                    // Held, but its holder hangs: put a new file in the place of the held one.
                    Some(_) => replace(&path).map_err(RunError::io(&path))?,
                    // Taken a moment ago; the name is about to be written.
                    None => {
                        std::thread::yield_now();
                        continue;
                    }
                },
                // Some network disks have no such locks: the name and its heartbeat decide alone.
                Err(TryLockError::Error(e)) if is_unsupported(&e) => match &earlier {
                    Some(h) if is_live(&path) => return Err(in_use(h)),
                    _ => file,
                },
                Err(TryLockError::Error(source)) => return Err(RunError::Io { path, source }),
            };
            if !is_at(&file, &path) {
                continue;
            }
            let lock = Lock::name(file, path.clone()).map_err(RunError::io(&path))?;
            return Ok((lock, earlier));
        }
        Err(RunError::Locked {
            path: folder.path().to_owned(),
            pid: 0,
            host: "an unknown machine".into(),
            seconds: 0.0,
        })
    }

    fn name(file: File, path: PathBuf) -> std::io::Result<Lock> {
        let now = clock::now();
        let holder = Holder {
            schema: crate::report::SCHEMA,
            host: clock::host(),
            pid: std::process::id(),
            token: format!("{:x}-{:?}", now.to_bits(), std::thread::current().id()),
            heartbeat: now,
        };
        let mut lock = Lock { file, path, holder };
        lock.beat()?;
        Ok(lock)
    }

    /// Gives a sign of life.
    pub fn beat(&mut self) -> std::io::Result<()> {
        self.holder.heartbeat = clock::now();
        // One write of a fixed width, so that a reader never sees half of one and half of another.
        let line = format!("{:<254}\n", serde_json::to_string(&self.holder)?);
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(line.as_bytes())
    }

    /// Another holder, if the lock was taken over from us (we were silent for too long).
    pub fn usurper(&self) -> Option<Holder> {
        read(&self.path).ok().flatten().filter(|h| h.token != self.holder.token)
    }

    /// Who holds the lock of a folder, if anyone alive does.
    pub fn holder(folder: &RunFolder) -> Option<Holder> {
        let holder = read(&folder.lock_path()).ok().flatten()?;
        is_live(&folder.lock_path()).then_some(holder)
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Leaves no name, so that the next holder has nobody to mention. The file stays: to
        // remove it would race with whoever opens it now.
        let _ = self.file.set_len(0);
        let _ = self.file.unlock();
    }
}

/// Whether the holder that a lock names lives; one elsewhere is listened to.
fn is_live(lock: &Path) -> bool {
    pulse::listen(lock, || {
        read(lock).ok().flatten().map(|holder| (holder.host, holder.pid, holder.heartbeat))
    })
}

/// Whether the process that holds a lock hangs.
fn is_silent(holder: &Holder, lock: &Path) -> bool {
    match holder.host == clock::host() {
        true => clock::now() - holder.heartbeat >= SILENCE.as_secs_f64(),
        false => !is_live(lock),
    }
}

fn open(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
}

/// A locked file of our own under the lock's name.
fn replace(path: &Path) -> std::io::Result<File> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let (file, temporary) =
        tempfile::Builder::new().prefix(".lock-").tempfile_in(folder)?.into_parts();
    file.try_lock()?;
    temporary.persist(path).map_err(|e| e.error)?;
    Ok(file)
}

fn is_unsupported(error: &std::io::Error) -> bool {
    error.kind() == std::io::ErrorKind::Unsupported || error.raw_os_error() == Some(libc::ENOLCK)
}

/// Whether this open file is the one that the path leads to.
fn is_at(file: &File, path: &Path) -> bool {
    match (file.metadata(), std::fs::metadata(path)) {
        (Ok(a), Ok(b)) => (a.dev(), a.ino()) == (b.dev(), b.ino()),
        _ => false,
    }
}

fn read(path: &Path) -> std::io::Result<Option<Holder>> {
    let mut bytes = Vec::new();
    match File::open(path) {
        Ok(mut file) => file.read_to_end(&mut bytes)?,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(e),
    };
    // What names no holder was left by none.
    Ok(serde_json::from_slice(&bytes).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn folder(base: &Path) -> RunFolder {
        RunFolder::create(base, &Config::default()).expect("creates")
    }

    fn write_holder(folder: &RunFolder, host: &str, pid: u32, age: f64) {
        let holder = Holder {
            schema: 1,
            host: host.into(),
            pid,
            token: "other".into(),
            heartbeat: clock::now() - age,
        };
        let text = serde_json::to_string(&holder).expect("writes");
        std::fs::write(folder.lock_path(), text).expect("writes");
    }

    #[test]
    fn a_held_lock_is_refused_with_its_holder_and_free_after_release() {
        let base = tempfile::tempdir().expect("temporary folder");
        let folder = folder(base.path());
        let (lock, earlier) = Lock::acquire(&folder).expect("free");
        assert_eq!(earlier, None);
        assert_eq!(Lock::holder(&folder).map(|h| h.pid), Some(std::process::id()));
        let refused = Lock::acquire(&folder).expect_err("held");
        assert!(refused.to_string().contains(&std::process::id().to_string()), "{refused}");
        drop(lock);
        assert_eq!(Lock::holder(&folder), None);
        let (_, earlier) = Lock::acquire(&folder).expect("free again");
        assert_eq!(earlier, None);
    }

    #[test]
    fn a_dead_process_of_this_machine_is_replaced_and_named() {
        let base = tempfile::tempdir().expect("temporary folder");
        let folder = folder(base.path());
        write_holder(&folder, &clock::host(), u32::MAX, 1.0);
        let (_, earlier) = Lock::acquire(&folder).expect("its holder is dead");
        assert_eq!(earlier.map(|h| h.pid), Some(u32::MAX));
    }

    #[test]
    fn a_damaged_lock_holds_nobody_off() {
        let base = tempfile::tempdir().expect("temporary folder");
        let folder = folder(base.path());
        for damage in [&b""[..], b"{\"pid\": 1", b"\xff\xfe\x00"] {
            std::fs::write(folder.lock_path(), damage).expect("writes");
            let (lock, earlier) = Lock::acquire(&folder).expect("nobody holds it");
            assert_eq!(earlier, None);
            drop(lock);
        }
    }

    #[test]
    fn another_machine_keeps_its_lock_while_its_heart_beats() {
        let base = tempfile::tempdir().expect("temporary folder");
        let folder = folder(base.path());
        write_holder(&folder, "another-machine", 1, 10.0);
        let refused = Lock::acquire(&folder).expect_err("alive");
        assert!(refused.to_string().contains("another-machine"), "{refused}");
        // Its next sign of life is told by another reading of its clock, whatever that says.
        write_holder(&folder, "another-machine", 1, 3600.0);
        assert!(Lock::acquire(&folder).is_err());
    }

    #[test]
    fn a_silent_holder_elsewhere_is_listened_to_and_then_replaced() {
        let base = tempfile::tempdir().expect("temporary folder");
        let folder = folder(base.path());
        write_holder(&folder, "another-machine", 1, 61.0);
        let (_, earlier) = Lock::acquire(&folder).expect("it is silent");
        assert_eq!(earlier.map(|h| h.host), Some("another-machine".into()));
    }

    #[test]
    fn a_hanging_holder_is_taken_over_and_can_see_it() {
        let base = tempfile::tempdir().expect("temporary folder");
        let folder = folder(base.path());
        let (mut hanging, _) = Lock::acquire(&folder).expect("free");
        hanging.holder.heartbeat = clock::now() - 61.0;
        let line = format!("{:<254}\n", serde_json::to_string(&hanging.holder).expect("writes"));
        std::fs::write(folder.lock_path(), line).expect("writes");
        let (lock, earlier) = Lock::acquire(&folder).expect("silent for too long");
        assert_eq!(earlier.map(|h| h.token), Some(hanging.holder.token.clone()));
        assert_eq!(hanging.usurper().map(|h| h.token), Some(lock.holder.token.clone()));
        assert_eq!(lock.usurper(), None);
        drop(hanging);
        assert!(Lock::acquire(&folder).is_err(), "the old holder frees only its own file");
    }
}
