import KettleModel

/// Lists the files of a Metalink that describes several (RFC 5854).
///
/// That it does is known only when it has arrived: a Metalink of one file is a single transfer, so
/// no text names such a source. The transfer of the Metalink becomes the collection.
package struct MetalinkListing: CollectionAdapter {
  private let source: CollectionSource

  package let byteCountMax = MetalinkFile.byteCountMax
  package var first: ListingRequest { ListingRequest(source.url) }

  package static func source(
    named text: String, in environment: CollectionEnvironment
  ) -> Result<CollectionSource, ListingProblem>? { nil }

  package init?(_ source: CollectionSource) {
    guard source.kind == .metalink, source.name == source.url.text,
      source.url.scheme.family == .http
    else { return nil }
    self.source = source
  }

  package func read(
    _ answer: ListingAnswer, to request: ListingRequest
  ) throws(ListingProblem) -> ListingPage {
    do throws(MetalinkProblem) {
      return Self.page(try MetalinkFile.read(answer.bytes))
    } catch {
      throw ListingProblem(error.words)
    }
  }

  /// The files that a Metalink describes, with their mirrors.
  package static func page(_ files: [MetalinkFile]) -> ListingPage {
    var page = ListingPage()
    for file in files {
      if let url = file.urls.first?.url,
        let path = file.path.flatMap({ MemberPath(foreign: $0.components) })
      {
        page.members.append(
          ListedMember(
            path: path, url: url, byteCount: file.byteCount, checksum: file.checksum,
            mirrors: file.urls.dropFirst().map(\.url)))
      } else {
        page.refusedCount += 1
      }
    }
    return page
  }
}
