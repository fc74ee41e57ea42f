import Testing

@testable import KettleModel

struct PlaylistIdentityTests {
  private static let lines = ["#EXTINF:6,", "a.ts", "#EXTINF:4,", "b.ts"]

  private func identity(
    _ lines: [String], variant: String = "http://files.example/v.m3u8"
  ) throws -> PlaylistIdentity {
    let text = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n" + lines.joined(separator: "\n")
    guard case .segments(let media) = try Playlist.read(Array((text + "\n#EXT-X-ENDLIST\n").utf8))
    else { throw PlaylistProblem.notPlaylist }
    return PlaylistIdentity(of: media, variant: try url(variant))
  }

  private func url(_ text: String) throws -> TransferURL {
    try TransferURL.parse(text).get().url
  }

  @Test func `renewed links do not change the shape`() throws {
    let known = try identity(Self.lines)
    let renewed = try identity(
      ["#EXTINF:6,", "a.ts?t=2", "#EXTINF:4,", "b.ts?t=2"],
      variant: "http://files.example/v.m3u8?t=2")
    #expect(renewed.hasShape(of: known))
    // It is stored, and computed again by another process.
    #expect(known.shape == 0x63D9_662C_F12F_11CD)
  }

  // Fault 157
  @Test(arguments: [
    ["#EXT-X-MEDIA-SEQUENCE:3"] + lines, ["#EXTINF:6,", "a.ts", "#EXTINF:3,", "b.ts"],
    // The same sum and number.
    ["#EXTINF:4,", "a.ts", "#EXTINF:6,", "b.ts"],
    ["#EXTINF:6,", "a.ts", "#EXTINF:4,", "#EXT-X-BYTERANGE:9@0", "b.ts"],
    ["#EXTINF:6,", "a.ts", "#EXT-X-DISCONTINUITY", "#EXTINF:4,", "b.ts"],
    ["#EXT-X-MAP:URI=\"i.mp4\""] + lines, lines + ["#EXTINF:1,", "c.ts"],
  ])
  func `another shape is another recording`(lines: [String]) throws {
    #expect(try !identity(lines).hasShape(of: identity(Self.lines)))
  }

  // Fault 156
  @Test(arguments: [
    (["v.m3u8", "w.m3u8"], "v.m3u8"),
    (["w.m3u8", "http://files.example/v.m3u8"], "http://files.example/v.m3u8"),
    (["w.m3u8", "v.m3u8?token=2"], "v.m3u8?token=2"), (["v.m3u8?q=1", "v.m3u8?q=2"], nil),
    (["w.m3u8"], nil), ([], nil),
  ])
  func `the variant is found where it is still listed`(uris: [String], expected: String?) throws {
    let variants = uris.map { Playlist.Variant(uri: $0, bitsPerSecond: 1) }
    let found = try identity(Self.lines).variant(
      among: variants, listedAt: url("http://files.example/master.m3u8"))
    #expect(found?.uri == expected)
  }
}
