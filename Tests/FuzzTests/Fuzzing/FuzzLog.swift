import Foundation

/// Progress messages of a run, unbuffered, so that a crash does not lose them.
enum FuzzLog {
  static func say(_ text: String, of part: String) {
    FileHandle.standardError.write(Data("fuzz: \(part): \(text)\n".utf8))
  }
}
