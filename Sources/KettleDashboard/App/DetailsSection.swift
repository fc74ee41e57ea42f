/// What the details are parted into, in the order of their numbers.
package enum DetailsSection: Hashable, Sendable, CaseIterable {
  case overview, parts, addresses, headers, events, speed

  /// As it is pressed and shown, from 1.
  package var number: Int { (Self.allCases.firstIndex(of: self) ?? 0) + 1 }

  func next(_ step: Int) -> DetailsSection {
    let all = Self.allCases
    return all[(number - 1 + step + all.count) % all.count]
  }
}

/// Within the details.
package enum DetailsCommand: Hashable, Sendable {
  case section(DetailsSection)
  case nextSection, previousSection
}
