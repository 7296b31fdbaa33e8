use std::io::{Error, ErrorKind};

/// What can be done about a failure of the file system, to stand behind its description; nothing
/// where the description says it.
pub fn advice(error: &Error) -> &'static str {
    match error.kind() {
        ErrorKind::PermissionDenied => {
            "; who may is shown by `ls -l`: change that, or name another place"
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "; make room, e.g. by old runs and their .trash (C on the screen Runs cleans them)"
        }
        ErrorKind::ReadOnlyFilesystem => "; name another place, e.g. with --out",
        ErrorKind::NotFound => "; check the name, or whether it was moved",
        ErrorKind::StaleNetworkFileHandle | ErrorKind::HostUnreachable | ErrorKind::TimedOut => {
            "; the network disk does not answer: try again when it does"
        }
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_meet_has_an_advice_and_what_nobody_can_help_has_none() {
        for kind in [
            ErrorKind::PermissionDenied,
            ErrorKind::StorageFull,
            ErrorKind::QuotaExceeded,
            ErrorKind::ReadOnlyFilesystem,
            ErrorKind::NotFound,
        ] {
            assert!(advice(&Error::from(kind)).starts_with("; "), "{kind:?}");
        }
        assert_eq!(advice(&Error::other("a loose cable")), "");
        // As systems report it.
        assert!(advice(&Error::from_raw_os_error(28)).contains("make room"));
    }
}
