//! Questions about speed, each beside a yardstick.
