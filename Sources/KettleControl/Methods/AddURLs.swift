import KettleModel

/// Queues transfers that differ only in their URL, all or none: the short form of `transfers.add`
/// for long lists. When the reply arrives, they are durable in the store.
package enum AddURLs: ControlMethod {
  package static let name = "transfers.addURLs"
  /// Bounds the memory for one request.
  package static let countMax = 10_000

  package struct Params: Hashable, Sendable {
    /// The properties shared by all transfers; its URL is the first of `urls`.
    package let template: TransferSpec
    /// At least one.
    package let urls: [TransferURL]
    /// As with `transfers.add`.
    package var requestID: String?
    /// As with `transfers.add`.
    package var on: String?

    /// Returns nil if there is no URL.
    package init?(
      urls: [TransferURL], template: TransferSpec, requestID: String? = nil, on: String? = nil
    ) {
      guard let first = urls.first else { return nil }
      self.init(first: first, urls: urls, template: template, requestID: requestID, on: on)
    }

    private init(
      first: TransferURL, urls: [TransferURL], template: TransferSpec, requestID: String?,
      on: String?
    ) {
      var template = template
      template.source = ChainedURL(given: first)
      self.template = template
      self.urls = urls
      self.requestID = requestID
      self.on = on
    }

    package var transfers: [TransferSpec] {
      urls.map { url in
        var spec = template
        spec.source = ChainedURL(given: url)
        return spec
      }
    }
  }

  package struct Result: Codable, Hashable, Sendable {
    /// In the order of the request.
    package var runs: IDRuns

    package init(runs: IDRuns) { self.runs = runs }
  }
}

extension AddURLs.Params: Codable {
  private enum CodingKeys: String, CodingKey {
    case requestID, template, urls, on
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let urls = try Self.urls(container.nestedUnkeyedContainer(forKey: .urls))
    guard let first = urls.first else {
      throw DecodingError.dataCorruptedError(
        forKey: .urls, in: container, debugDescription: "there is none")
    }
    let template =
      container.contains(.template)
      ? try TransferSpec(url: first, template: container.superDecoder(forKey: .template))
      : TransferSpec(url: first)
    // A task belongs to its program and has its own number.
    if template.task != nil {
      throw DecodingError.refused("template.task", at: container.codingPath)
    }
    self.init(
      first: first, urls: urls, template: template,
      requestID: try container.decodeIfPresent(String.self, forKey: .requestID),
      on: try container.decodeIfPresent(String.self, forKey: .on))
  }

  /// Decodes text by text, because decoding an array makes a decoder for each element.
  private static func urls(_ list: any UnkeyedDecodingContainer) throws -> [TransferURL] {
    var list = list
    var urls: [TransferURL] = []
    while !list.isAtEnd {
      let index = list.currentIndex
      func refuse(_ why: String) -> DecodingError {
        DecodingError.dataCorrupted(
          .init(codingPath: list.codingPath + [ListIndex(index)], debugDescription: why))
      }
      guard index < AddURLs.countMax else {
        throw DecodingError.dataCorrupted(
          .init(codingPath: list.codingPath, debugDescription: "too many"))
      }
      // A URL with a login is refused: the shared template has no room for it, and it must not be
      // lost.
      guard case .success(let parsed) = TransferURL.parse(try list.decode(String.self)),
        parsed.login == nil
      else { throw refuse("not a URL without a login that can be fetched") }
      urls.append(parsed.url)
    }
    return urls
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(requestID, forKey: .requestID)
    try container.encodeIfPresent(on, forKey: .on)
    try template.encodeTemplate(to: container.superEncoder(forKey: .template))
    // Text by text, because encoding an array makes an encoder for each element.
    var list = container.nestedUnkeyedContainer(forKey: .urls)
    for url in urls { try list.encode(url.text) }
  }
}

extension AddURLs.Params: BoundedParams {
  var problem: ControlError? { AddTransfers.problem(ofRequestID: requestID) }
}

/// An index in a list, for the path in an error.
private struct ListIndex: CodingKey {
  let index: Int

  init(_ index: Int) { self.index = index }
  init?(intValue: Int) { index = intValue }
  init?(stringValue: String) { nil }

  var intValue: Int? { index }
  var stringValue: String { String(index) }
}

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

extension FindURLs.Params: BoundedParams {
  var problem: ControlError? {
    urls.count > FindURLs.countMax ? ControlError(.invalidParams, "params.urls") : nil
  }
}

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

extension RowSearch: BoundedParams {
  var problem: ControlError? {
    startIndex < 0 ? ControlError(.invalidParams, "params.startIndex") : nil
  }
}

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
      let login = try container.decodeIfPresent(Login.self, forKey: .login) ?? link.login
      guard login?.isUsable ?? true else {
        throw DecodingError.dataCorruptedError(
          forKey: .login, in: container, debugDescription: "not a login that can be sent")
      }
      self.init(
        id: try container.decode(TransferID.self, forKey: .id), url: link.url, login: login)
    }
  }

  /// One id, applied or refused like a start.
  package typealias Result = ControlTransfers.Result
}

/// Starts a paused transfer that a browser has handed over and given up. If exactly one other waits
/// for a link to the same file from the same page, that one gets the link, and the new one goes.
package enum BeginTransfer: ControlMethod {
  package static let name = "transfers.begin"

  package struct Params: Codable, Hashable, Sendable {
    package var id: TransferID

    package init(id: TransferID) { self.id = id }
  }

  package struct Result: Codable, Hashable, Sendable {
    /// The transfer that has the link now.
    package var id: TransferID
    /// The title of that transfer if it is another one than the new one; nil otherwise.
    package var continued: String?
    /// Why the new one was not started; nil if it was.
    package var refused: ControlRefusal.Why?

    package init(
      id: TransferID, continued: String? = nil, refused: ControlRefusal.Why? = nil
    ) {
      self.id = id
      self.continued = continued
      self.refused = refused
    }
  }
}
