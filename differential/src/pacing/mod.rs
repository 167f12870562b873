//! How merging is paid for. The spine brings it.
