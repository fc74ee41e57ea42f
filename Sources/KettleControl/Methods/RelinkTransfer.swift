import KettleModel

/// Gives an unfinished transfer a fresh link and starts it. Durable bytes stay if the new link
/// leads to the same file.
package enum RelinkTransfer: ControlMethod {
  package static let name = "transfers.relink"

  package struct Params: Codable, Hashable, Sendable {
    package var id: TransferID
    package var url: TransferURL
    /// Replaces the old login; nil leaves it unchanged.
    package var login: Login?

    package init(id: TransferID, url: TransferURL, login: Login? = nil) {
      self.id = id
      self.url = url
      self.login = login
    }

    package init(id: TransferID, link: TransferURL.Parsed) {
      self.init(id: id, url: link.url, login: link.login)
    }

    /// A user and password in the URL are the login, unless a separate one is given.
    package init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      let text = try container.decode(String.self, forKey: .url)
      guard case .success(let link) = TransferURL.parse(text) else {
        throw DecodingError.dataCorruptedError(
          forKey: .url, in: container, debugDescription: "not a URL that can be fetched")
      }
      let login = try container.decodeIfPresent(Login.self, forKey: .login)
      self.init(
        id: try container.decode(TransferID.self, forKey: .id), url: link.url,
        login: login ?? link.login)
    }
  }

  /// One id, applied or refused like a start.
  package typealias Result = ControlTransfers.Result
}
