import KettleModel
import Testing

@testable import KettleScheduler

/// Which servers additional connections may connect to.
struct AdditionalConnectionRedirectTests {
  private func connection(_ redirects: RedirectChain) -> DownloadConnection {
    DownloadConnection(
      attempt: AttemptID(rawValue: 1), url: url("http://cdn.example/a"), redirects: redirects,
      requested: nil, range: nil, at: MonotonicTime(milliseconds: 0))
  }

  // Fault 54
  @Test func `additional connections inherit the reach of the redirects they use`() {
    let given = RedirectChain(to: ChainedURL(given: url("http://a.example/")))
    let led = given.followed(by: .network).followed(by: .world)
    var download = ActiveDownload(
      primary: connection(led), mode: .resuming, received: ByteRangeSet())
    #expect(download.additionalRedirects.minimumReach == .world)
    #expect(download.additionalRedirects.count == 0)
    download.directAdditional(to: url("http://files.example/a.iso"), redirects: given)
    #expect(download.additionalRedirects.minimumReach == .machine)
    download.directAdditional(after: connection(led))
    #expect(download.additionalURL == url("http://cdn.example/a"))
    #expect(download.additionalRedirects.minimumReach == .world)
  }
}
