import KettleModel

/// Looks for the next transfer with some words, in the order of a list: of a list of a million a
/// client has a screenful, and this finds the others.
package enum FindTransfer: ControlMethod {
  package static let name = "transfers.find"
  package typealias Params = RowSearch

  package struct Result: Codable, Hashable, Sendable {
    /// nil when none has the words.
    package var found: FoundRow?

    package init(found: FoundRow?) { self.found = found }
  }
}
