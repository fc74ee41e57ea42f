import KettleModel

extension CollectionSource.Kind {
  /// What reads the documents of the kind.
  package var adapter: any CollectionAdapter.Type {
    switch self {
    case .hub: HubListing.self
    case .index: IndexListing.self
    case .checksums: ChecksumListing.self
    case .lines: LinesListing.self
    case .metalink: MetalinkListing.self
    case .archive: ArchiveListing.self
    case .zenodo: ZenodoListing.self
    case .figshare: FigshareListing.self
    case .dataverse: DataverseListing.self
    case .bucket: BucketListing.self
    case .directory: DirectoryListing.self
    case .webDAV: WebDAVListing.self
    }
  }
}

extension CollectionSource {
  /// The kinds that a text shows by itself. Services come before files of any server. A URL with a
  /// slash at its end is not among them: it is a directory only if the user says so.
  private static let kinds: [Kind] = [
    .hub, .archive, .zenodo, .figshare, .dataverse, .bucket, .directory, .webDAV, .checksums,
    .lines,
  ]

  /// The source that a text names. Returns nil for text that names none, and what is wrong with it
  /// for text that does.
  package static func named(
    _ text: String, in environment: CollectionEnvironment
  ) -> Result<CollectionSource, ListingProblem>? {
    for kind in kinds {
      if let source = kind.adapter.source(named: text, in: environment) { return source }
    }
    return nil
  }

  /// The login in the text of a source that is a URL. It is not part of the source, whose name is
  /// shown.
  package static func login(in text: String) -> Login? {
    let parsed = WebDAVListing.parsed(text) ?? (try? TransferURL.parse(text).get())
    return parsed?.login ?? DirectoryListing.parsed(text)?.login
  }

  /// What reads the documents of this source; nil if its name is not of its kind.
  package func adapter() -> (any CollectionAdapter)? { kind.adapter.init(self) }
}
