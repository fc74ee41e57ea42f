/// Why a name from the user cannot be a file name.
public enum FileNameProblem: Error, Hashable, Sendable {
  case empty
  /// `.` and `..` are directories.
  case directoryReference
  case slash
  case controlCharacter
  case tooLong

  /// The problem, its subject and the remedy; without a period.
  package func sentence(_ name: String) -> String {
    let shown = "\"" + name.sanitizedForDisplay(limit: 80) + "\""
    return switch self {
    case .empty: "The name of the file is empty; give one such as file.iso"
    case .directoryReference: "The name \(shown) means a directory; give the name of a file"
    case .slash:
      "The name \(shown) has a \"/\" in it; give the name alone and choose the directory with -d"
    case .controlCharacter:
      "The name \(shown) has a control character or line break in it; take it out"
    case .tooLong:
      "The name \(shown) is longer than \(FileName.byteCountMax) bytes; shorten it"
    }
  }
}

extension FileName {
  /// Returns the problem with a name from the user, or nil when it can be used unchanged.
  ///
  /// A leading dot or dash is the user's own choice and is kept.
  package static func problem(ofUserGiven name: String) -> FileNameProblem? {
    if name.isEmpty { return .empty }
    if name == "." || name == ".." { return .directoryReference }
    for scalar in name.unicodeScalars {
      if scalar == "/" { return .slash }
      if scalar.isControl { return .controlCharacter }
    }
    return name.utf8.count > byteCountMax ? .tooLong : nil
  }
}
