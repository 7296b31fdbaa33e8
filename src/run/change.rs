/// Whether what a watcher tells can mean that something was written. Files that are opened or read
/// tell of it as well, and among them are those that the listener itself reads when it was told.
pub fn is_change(told: &notify::Result<notify::Event>) -> bool {
    told.as_ref().map_or(true, |event| !event.kind.is_access())
}

#[cfg(test)]
mod tests {
    use super::*;
    use notify::event::{AccessKind, AccessMode, CreateKind, DataChange, EventKind, ModifyKind};

    #[test]
    fn reading_changes_nothing_and_what_is_not_known_may_have() {
        let told = |kind| is_change(&Ok(notify::Event::new(kind)));
        assert!(!told(EventKind::Access(AccessKind::Open(AccessMode::Any))));
        assert!(!told(EventKind::Access(AccessKind::Close(AccessMode::Read))));
        assert!(told(EventKind::Modify(ModifyKind::Data(DataChange::Any))));
        assert!(told(EventKind::Create(CreateKind::File)));
        assert!(told(EventKind::Any));
        assert!(is_change(&Err(notify::Error::generic("the queue ran over"))));
    }
}
