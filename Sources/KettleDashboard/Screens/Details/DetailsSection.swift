/// The sections of the details screen, in the order of their numbers. The dashboard remembers them
/// by name.
package enum DetailsSection: String, Codable, Hashable, Sendable, CaseIterable {
  case overview, parts, addresses, headers, events, speed

  /// The number that is shown and that selects the section, from 1.
  package var number: Int { (Self.allCases.firstIndex(of: self) ?? 0) + 1 }

  func next(_ step: Int) -> DetailsSection {
    let all = Self.allCases
    return all[(number - 1 + step + all.count) % all.count]
  }
}
