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

/// A version as <https://semver.org> orders it (sections 9 to 11), without build metadata.
package struct SemanticVersion: Hashable, Comparable, Sendable {
  private let numbers: [Int]
  /// Empty for a release.
  private let previews: [Preview]

  private enum Preview: Hashable, Comparable {
    case number(Int)
    case word(String)
  }

  /// Returns nil for a text of another form.
  package init?(_ text: String) {
    let core = text.split(separator: "+", omittingEmptySubsequences: false)[0]
    let parts = core.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    let texts = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    numbers = texts.compactMap { text in
      text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }
    guard numbers.count == 3, texts.count == 3 else { return nil }
    previews = parts.dropFirst().joined().split(separator: ".").map { word in
      Int(word).map(Preview.number) ?? .word(String(word))
    }
    if parts.count > 1, previews.isEmpty { return nil }
  }

  package static func < (left: SemanticVersion, right: SemanticVersion) -> Bool {
    if left.numbers != right.numbers {
      return left.numbers.lexicographicallyPrecedes(right.numbers)
    }
    if left.previews.isEmpty || right.previews.isEmpty {
      return !left.previews.isEmpty && right.previews.isEmpty
    }
    return left.previews.lexicographicallyPrecedes(right.previews)
  }
}

extension ProductVersion {
  /// Whether a version is older than this program. False for one that cannot be read.
  package static func isNewer(than text: String) -> Bool {
    guard let theirs = SemanticVersion(text), let own = SemanticVersion(self.text) else {
      return false
    }
    return theirs < own
  }
}
