import KettleModel

/// A document of the list of a collection that is still to be read.
package struct ListingRequest: Hashable, Sendable {
  package var url: TransferURL
  /// Where its files are, below the directory of the collection: components as the source wrote
  /// them.
  package var directory: [String] = []
  /// How many directories were entered before it.
  package var depth = 0
  /// What the adapter requests; it numbers its kinds of documents itself.
  package var stage = 0
  package var form = Form.document
  /// The directories of files by the names that the service has for the files, if an earlier
  /// document has said them.
  package var fileDirectories: [String: String] = [:]

  package enum Form: Hashable, Sendable {
    /// A GET. From a server of files, it is the list of a directory whose URL has no slash at its
    /// end.
    case document
    /// A PROPFIND for a directory and what is directly in it (RFC 4918, section 9.1).
    case properties
    /// A GET for the rules of the server, which it need not have (RFC 9309).
    case rules
  }

  package init(
    _ url: TransferURL, directory: [String] = [], depth: Int = 0, stage: Int = 0,
    form: Form = .document, fileDirectories: [String: String] = [:]
  ) {
    self.url = url
    self.fileDirectories = fileDirectories
    self.form = form
    self.directory = directory
    self.depth = depth
    self.stage = stage
  }
}

/// A document that has arrived.
package struct ListingAnswer: Hashable, Sendable {
  /// The URL that answered, after redirects.
  package var url: TransferURL
  package var bytes: [UInt8]
  /// In lower case, without parameters.
  package var mediaType: String?
  /// The values of the `Link` header fields, joined with commas (RFC 8288).
  package var link: String?

  package init(
    _ url: TransferURL, _ bytes: [UInt8], mediaType: String? = nil, link: String? = nil
  ) {
    self.url = url
    self.bytes = bytes
    self.mediaType = mediaType
    self.link = link
  }
}

/// What a document says.
package struct ListingPage: Hashable, Sendable {
  /// The version that the rest of the list is pinned to, if this document says it.
  package var version: String?
  package var members: [ListedMember] = []
  /// How many files were left out because their paths cannot be used below a directory.
  package var refusedCount = 0
  /// Documents that list more.
  package var further: [ListingRequest] = []
  /// Set by a document of rules.
  package var rules: RobotRules?

  package init() {}
}

/// Why a document cannot be used. Words for the detail of a failure.
package struct ListingProblem: Error, Hashable, Sendable {
  package var words: String

  package init(_ words: String) { self.words = words }
}

/// The environment variables that services use to name another endpoint.
package struct CollectionEnvironment: Sendable {
  private let values: [String: String]

  package init(_ values: [String: String]) { self.values = values }

  /// The URL that a variable names; nil if it is not set or not a URL of a web server.
  package func url(_ name: String) -> TransferURL? {
    guard let text = values[name], case .success(let parsed) = TransferURL.parse(text),
      parsed.url.scheme.family == .http
    else { return nil }
    return parsed.url
  }
}

/// Reads the documents of one kind of source: pure functions from documents to files and further
/// documents. `CollectionSource.Kind.adapter` is the table of all of them.
///
/// An adapter believes nothing: it makes paths and URLs by the types that refuse bad ones, and its
/// time grows with the size of a document alone. The caller refuses further documents that a
/// redirect could not lead to, bounds documents, files and directories, applies the user's choice
/// of files and makes paths distinct.
package protocol CollectionAdapter: Sendable {
  /// Returns nil for text that is not of this kind, and what is wrong with it for text that is.
  static func source(
    named text: String, in environment: CollectionEnvironment
  ) -> Result<CollectionSource, ListingProblem>?

  /// Returns nil if the name of the source is not of this kind, as in a record that others changed.
  init?(_ source: CollectionSource)

  /// The longest document, in bytes.
  var byteCountMax: Int { get }
  /// The first document.
  var first: ListingRequest { get }
  /// Whether the service says in a document what is wrong with a request.
  var readsErrors: Bool { get }
  /// The rules of the server for links that are followed; nil if none are.
  var rules: ListingRequest? { get }
  func read(
    _ answer: ListingAnswer, to request: ListingRequest
  ) throws(ListingProblem) -> ListingPage
}

extension CollectionAdapter {
  package var readsErrors: Bool { false }
  package var rules: ListingRequest? { nil }
}
