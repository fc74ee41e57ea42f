import Foundation

/// Lines for whoever follows a run; they come at once, so a crash does not take them away.
enum FuzzLog {
  static func say(_ text: String, of part: String) {
    FileHandle.standardError.write(Data("fuzz: \(part): \(text)\n".utf8))
  }
}
