//! What is known of a device.

/// What is known of a device.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeviceInfo {
    /// As users write it, like `cuda:0`.
    pub name: String,
    /// The maker's name for it.
    pub model: Option<String>,
    /// Bytes.
    pub free: Option<u64>,
    pub total: Option<u64>,
    /// Share of the last moments in which it worked, 0 to 1.
    pub busy: Option<f64>,
}
