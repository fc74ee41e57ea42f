/// What a document says about a file besides its name, its digest and the URL that is asked first.
public struct DescribedFile: Hashable, Sendable, Codable {
  /// Other URLs of the file, the best ones first.
  public var copies: [ChainedURL]
  /// The size of the file, which binds every source; nil if the document does not say it.
  public var byteCount: Int64?

  public init(copies: [ChainedURL], byteCount: Int64? = nil) {
    self.copies = copies
    self.byteCount = byteCount
  }
}
