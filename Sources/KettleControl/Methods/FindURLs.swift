import KettleModel

/// Finds the URLs that are already in the list, to ask before they are added again.
package enum FindURLs: ControlMethod {
  package static let name = "transfers.findURLs"
  package static let countMax = 1000

  package struct Params: Codable, Hashable, Sendable {
    /// As rows show them: without a login and percent-encoded where necessary.
    package var urls: [String]

    package init(urls: [String]) { self.urls = urls }
  }

  package struct Result: Codable, Hashable, Sendable {
    /// One for each URL that is in the list.
    package var found: [Found]

    package init(found: [Found]) { self.found = found }
  }

  package struct Found: Codable, Hashable, Sendable {
    package var url: String
    /// The transfer that was added first, if there are several.
    package var id: TransferID
    package var state: TransferState

    package init(url: String, id: TransferID, state: TransferState) {
      self.url = url
      self.id = id
      self.state = state
    }
  }
}
