import KettleModel

/// Finds the next transfer that contains some words, in the order of a list. A client has only a
/// screenful of a list of a million; this finds the others.
package enum FindTransfer: ControlMethod {
  package static let name = "transfers.find"
  package typealias Params = RowSearch

  package struct Result: Codable, Hashable, Sendable {
    /// nil if no transfer contains the words.
    package var found: FoundRow?

    package init(found: FoundRow?) { self.found = found }
  }
}
