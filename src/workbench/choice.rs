//! Choices among a few, by their names: how screens say what is to be remembered, and take it up.

/// The member of a circle that has that name.
pub fn named<T: Copy>(
    start: T,
    next: impl Fn(T) -> T,
    name: impl Fn(T) -> &'static str,
    wanted: &str,
) -> Option<T> {
    // More than any circle here has.
    const MOST: usize = 16;
    std::iter::successors(Some(start), |at| Some(next(*at)))
        .take(MOST)
        .find(|at| name(*at) == wanted)
}

/// A switch in words.
pub fn on_off(on: bool) -> String {
    if on { "on".into() } else { "off".into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_wherever_the_circle_begins() {
        let name = |i: usize| ["a", "b", "c"][i];
        assert_eq!(named(1, |i| (i + 1) % 3, name, "a"), Some(0));
        assert_eq!(named(1, |i| (i + 1) % 3, name, "d"), None);
        assert_eq!((on_off(true), on_off(false)), ("on".into(), "off".into()));
    }
}
