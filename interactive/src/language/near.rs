//! Which name was meant? The nearest by edits, if it is near enough.

/// The candidate nearest to `name`, at most a third of its letters away; the first of equally near ones.
pub(crate) fn near<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    // A long name is no slip of the finger, and the distance costs its square.
    if name.len() > 64 {
        return None;
    }
    let most = (name.chars().count() / 3).max(1);
    let near =
        candidates.into_iter().filter(|candidate| candidate.len() <= 64 && *candidate != name).map(|candidate| {
            let distance = strsim::osa_distance(&name.to_lowercase(), &candidate.to_lowercase());
            (distance, candidate)
        });
    let (distance, candidate) = near.min_by_key(|(distance, _)| *distance)?;
    (distance <= most).then(|| candidate.to_string())
}

#[cfg(test)]
mod tests {
    use super::near;

    #[test]
    fn the_nearest_is_named_and_the_far_is_not() {
        assert_eq!(near("edgs", ["node", "edges", "edge"]).as_deref(), Some("edges"));
        assert_eq!(near("Edge", ["edge"]).as_deref(), Some("edge"));
        assert_eq!(near("root", ["edge", "node"]), None);
        assert_eq!(near("x", ["y"]).as_deref(), Some("y"));
    }
}
