/// The version of the protocol between clients and the service.
///
/// The service accepts `hello` only if the numbers are equal. Any change that an older side would
/// misread increments it; new optional fields do not.
package enum ProtocolVersion {
  package static let current = 1
}

/// The product's own version, for people.
package enum ProductVersion {
  package static let text = "0.1.0"
}
