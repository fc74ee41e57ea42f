/// Earlier entries of a field.
package struct InputHistory: Hashable, Sendable {
  package static let countMax = 50

  /// The newest last, without duplicates.
  package private(set) var entries: [String] = []

  package init() {}

  mutating func append(_ text: String) {
    guard !text.isEmpty else { return }
    entries.removeAll { $0 == text }
    entries.append(text)
    if entries.count > Self.countMax { entries.removeFirst(entries.count - Self.countMax) }
  }
}
