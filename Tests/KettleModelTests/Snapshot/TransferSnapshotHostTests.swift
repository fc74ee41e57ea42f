import KettleModel
import Testing

struct TransferSnapshotHostTests {
  private func snapshot(_ url: String) -> TransferSnapshot {
    TransferSnapshot(
      id: TransferID(rawValue: 1), session: .kettle, taskIdentifier: 1, title: "a", url: url,
      state: .queued, createdAt: WallTime(millisecondsSince1970: 0))
  }

  @Test(arguments: [
    ("https://example.org/a.iso", "example.org"), ("https://example.org:8443/a", "example.org"),
    ("http://example.org", "example.org"), ("http://example.org?x=http://y/", "example.org"),
    ("http://[2001:db8::1]:80/a", "[2001:db8::1]"), ("http://[::1", "["), ("http:///a", ""),
    ("http:example.org", ""), ("example.org/a", ""), ("", ""), ("://", ""), ("a:b://c", ""),
    ("http://müller.example/ü", "müller.example"),
  ])
  func `the host excludes the port`(url: String, host: String) {
    #expect(snapshot(url).host == host)
  }

  @Test(arguments: [
    ("example.org", true), ("EXAMPLE.org", true), ("org", true), ("cdn.example.org", true),
    ("ample.org", false), ("x.cdn.example.org", false), ("", false),
  ])
  func `a host matches its parent domains`(wanted: String, has: Bool) {
    #expect(snapshot("https://cdn.example.org/a").hasHost(wanted) == has)
  }
}
