import KettleModel

/// Tells which URLs are in the list already, for a question before they are added again.
package enum FindURLs: ControlMethod {
  package static let name = "transfers.findURLs"
  package static let countMax = 1000

  package struct Params: Codable, Hashable, Sendable {
    /// As rows show them: without a login, and with what must be percent-encoded encoded.
    package var urls: [String]

    package init(urls: [String]) { self.urls = urls }
  }

  package struct Result: Codable, Hashable, Sendable {
    /// One for each URL that is there.
    package var found: [Found]

    package init(found: [Found]) { self.found = found }
  }

  package struct Found: Codable, Hashable, Sendable {
    package var url: String
    /// Of several, the one that was added first.
    package var id: TransferID
    package var state: TransferState

    package init(url: String, id: TransferID, state: TransferState) {
      self.url = url
      self.id = id
      self.state = state
    }
  }
}
