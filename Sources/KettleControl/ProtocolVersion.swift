/// The language that clients and the service speak.
///
/// The service answers `hello` only when the numbers are equal; any change that an older side
/// would misread raises it. New optional fields do not.
package enum ProtocolVersion {
  package static let current = 1
}

/// The product's own version, for people.
package enum ProductVersion {
  package static let text = "0.1.0"
}
