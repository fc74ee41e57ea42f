/// The result of reading a whole file.
package enum FileContents: Hashable, Sendable {
  case bytes([UInt8])
  case missing
  /// Why the file cannot be read, in a few words.
  case unreadable(String)
}
