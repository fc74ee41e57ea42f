/// Finds descriptors that are closed by hand.
///
/// `OwnedDescriptor` closes each descriptor exactly once. A second close hits whatever another
/// thread has opened under the same number in between.
enum DescriptorRule {
  /// Where close(2) may be called, each with its reason.
  private static let allowed: Set<String> = [
    // The owner itself.
    "Sources/KettleSystem/OwnedDescriptor.swift"
  ]
  private static let calls = ["close", "fclose"]

  /// Tests are exempt: some check what happens to a closed descriptor. So are the examples, which
  /// import only the library.
  /// C sources are not checked.
  static func findings(in file: SourceText) -> [Finding] {
    guard file.isSource, file.target != "Examples", !allowed.contains(file.path) else { return [] }
    // Within a type that has a method of this name, the bare name means the method.
    let declaresClose = file.code.contains { text($0).contains("func close(") }
    return file.code.enumerated().compactMap { offset, line in
      isClose(text(line), declaresClose: declaresClose)
        ? Finding(
          path: file.path, line: offset + 1, why: "OwnedDescriptor closes a descriptor, once")
        : nil
    }
  }

  private static func text(_ line: [UInt8]) -> String { String(decoding: line, as: UTF8.self) }

  private static func isClose(_ line: String, declaresClose: Bool) -> Bool {
    for call in calls {
      var rest = line[...]
      while let range = rest.firstRange(of: call) {
        let before = line[..<range.lowerBound]
        let after = line[range.upperBound...]
        rest = after
        guard !isNamePart(before.last), after.first == "(" else { continue }
        if before.hasSuffix("Glibc.") { return true }
        if before.last == "." || before.hasSuffix("func ") { continue }
        let isMethod = call == "close" && (declaresClose || after.hasPrefix("()"))
        if !isMethod { return true }
      }
    }
    return false
  }

  private static func isNamePart(_ character: Character?) -> Bool {
    character.map { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "`" } ?? false
  }
}
