import Testing

@testable import KettleModel

struct PlaylistTests {
  private func read(_ text: String) throws(PlaylistProblem) -> Playlist {
    try Playlist.read(Array(text.utf8))
  }

  private func media(_ lines: String...) throws(PlaylistProblem) -> MediaPlaylist {
    let text = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n" + lines.joined(separator: "\n")
    guard case .segments(let media) = try read(text + "\n#EXT-X-ENDLIST\n") else {
      throw .notPlaylist
    }
    return media
  }

  private func problem(_ text: String) -> PlaylistProblem? {
    do {
      _ = try read(text)
      return nil
    } catch {
      return error
    }
  }

  @Test func `segments have their order and the sum of their durations`() throws {
    let media = try media("#EXTINF:6.006,title, with comma", "a.ts", "#EXTINF:4", "b.ts?x=1")
    #expect(media.segments.map(\.uri) == ["a.ts", "b.ts?x=1"])
    #expect(media.milliseconds == 10_006)
    #expect(media.segments.allSatisfy { $0.key == nil && $0.range == nil })
    #expect(media.fileExtension == "ts")
  }

  @Test func `a key counts from its line on, with the number of the segment as the vector`() throws
  {
    let media = try media(
      "#EXT-X-MEDIA-SEQUENCE:258", "#EXTINF:1,", "clear.ts",
      "#EXT-X-KEY:METHOD=AES-128,URI=\"k?a=1,2\"", "#EXTINF:1,", "a.ts",
      "#EXT-X-KEY:METHOD=AES-128,URI=\"k2\",IV=0xABCD", "#EXTINF:1,", "b.ts",
      "#EXT-X-KEY:METHOD=NONE", "#EXTINF:1,", "c.ts")
    let zeros = [UInt8](repeating: 0, count: 14)
    #expect(media.segments.map { $0.key?.uri } == [nil, "k?a=1,2", "k2", nil])
    #expect(media.segments[1].key?.initializationVector == zeros + [1, 3])
    #expect(media.segments[2].key?.initializationVector == zeros + [0xAB, 0xCD])
  }

  @Test func `a range without an offset follows the last one of its resource`() throws {
    let media = try media(
      "#EXT-X-MAP:URI=\"all.mp4\",BYTERANGE=\"100@0\"",
      "#EXTINF:1,", "#EXT-X-BYTERANGE:200@100", "all.mp4",
      "#EXTINF:1,", "#EXT-X-BYTERANGE:50", "all.mp4")
    let ranges = media.segments.compactMap(\.range).map { [$0.lower, $0.upper] }
    #expect(ranges == [[0, 100], [100, 300], [300, 350]])
    #expect(media.fileExtension == "mp4")
  }

  @Test func `the beginning of an MP4 is added once, and again where it changes`() throws {
    let media = try media(
      "#EXT-X-MAP:URI=\"init.mp4\"", "#EXTINF:1,", "1.m4s", "#EXT-X-MAP:URI=\"init.mp4\"",
      "#EXTINF:1,", "2.m4s", "#EXT-X-DISCONTINUITY", "#EXT-X-MAP:URI=\"init2.mp4\"",
      "#EXTINF:1,", "3.m4s")
    #expect(
      media.segments.map(\.uri) == ["init.mp4", "1.m4s", "2.m4s", "init2.mp4", "3.m4s"])
  }

  private static let master = """
    #EXTM3U
    #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="in",NAME="main"
    #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="in",NAME="other",URI="other.m3u8"
    #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="apart",NAME="main",URI="sound.m3u8"
    #EXT-X-STREAM-INF:BANDWIDTH=9000000,RESOLUTION=3840x2160,AUDIO="apart"
    2160.m3u8
    #EXT-X-STREAM-INF:BANDWIDTH=1200000,RESOLUTION=1280x720,CODECS="avc1,mp4a",AUDIO="in"
    720.m3u8
    #EXT-X-STREAM-INF:BANDWIDTH=5000000,RESOLUTION=1920x1080
    1080.m3u8
    #EXT-X-STREAM-INF:BANDWIDTH=300000,RESOLUTION=640x360
    360.m3u8
    #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI="iframes.m3u8"
    """

  @Test(arguments: [
    (nil, "1080.m3u8"), ("smallest", "360.m3u8"), ("720p", "720.m3u8"), ("900p", "720.m3u8"),
    ("100p", "360.m3u8"), ("1500k", "720.m3u8"), ("6M", "1080.m3u8"), ("1000", "360.m3u8"),
  ])
  func `the best variant that fits is chosen, with picture and sound together`(
    wish: String?, uri: String
  ) throws {
    guard case .variants(let variants) = try read(Self.master) else {
      Issue.record("not variants")
      return
    }
    #expect(variants.count == 4)
    let chosen = try Playlist.choose(wish.flatMap(PlaylistVariant.init), of: variants)
    #expect(chosen.uri == uri)
  }

  @Test func `a playlist whose sound is always apart cannot be joined`() throws {
    let text = """
      #EXTM3U
      #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="x",URI="sound.m3u8"
      #EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO="a"
      v.m3u8
      """
    guard case .variants(let variants) = try read(text) else {
      Issue.record("not variants")
      return
    }
    #expect(throws: PlaylistProblem.soundApart) { try Playlist.choose(nil, of: variants) }
  }

  @Test(
    arguments: [
      ("<html>", .notPlaylist), ("", .notPlaylist), ("#EXTM3U\nsong.mp3\n", .notPlaylist),
      ("#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:1,\na.ts\n", .live),
      ("#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-ENDLIST\n", .empty),
      ("#EXTM3U\n#EXT-X-VERSION:3\n#EXTINF:x,\na.ts\n", .malformed(line: 3)),
      ("#EXTM3U\n#EXT-X-BYTERANGE:5\n#EXTINF:1,\na.ts\n", .malformed(line: 4)),
      ("#EXTM3U\n#EXT-X-BYTERANGE:9223372036854775807@5\n#EXTINF:1,\na.ts\n", .malformed(line: 4)),
      (
        "#EXTM3U\n#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"k\"\n#EXTINF:1,\na.ts\n",
        .encryption("SAMPLE-AES")
      ),
      (
        "#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI=\"k\",KEYFORMAT=\"com.apple.x\"\n#EXTINF:1,\na\n",
        .encryption("AES-128 (com.apple.x)")
      ),
      ("#EXTM3U\n#EXT-X-GAP\n#EXTINF:1,\na.ts\n", .gap(line: 2)),
      ("#EXTM3U\n#EXT-X-SKIP:SKIPPED-SEGMENTS=3\n", .skipped(line: 2)),
      ("#EXTM3U\n#EXT-X-KEY:METHOD=AES-128\n", .malformed(line: 2)),
      ("#EXTM3U\n#EXT-X-KEY:URI=\"k\"\n", .malformed(line: 2)),
      ("#EXTM3U\n#EXT-X-MAP:URI=\"\"\n", .malformed(line: 2)),
      ("#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:+3\n", .malformed(line: 2)),
      ("#EXTM3U\n#EXT-X-BYTERANGE:5@+3\n", .malformed(line: 2)),
      (
        "#EXTM3U\n#EXT-X-VERSION:3\n#EXTINF:1,\na.ts\n#EXT-X-MEDIA-SEQUENCE:3\n",
        .malformed(line: 5)
      ),
    ] as [(String, PlaylistProblem)])
  func `what cannot be joined is refused with its reason`(text: String, expected: PlaylistProblem) {
    #expect(problem(text) == expected)
  }

  // Fault 161
  @Test(arguments: [
    "0xzz", "0x", "xyz", "12", "", "0x+1", "0x\(String(repeating: "0", count: 33))",
  ])
  func `a vector that is no number is refused`(text: String) {
    #expect(
      problem("#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI=\"k\",IV=\(text)\n#EXTINF:1,\na.ts\n")
        == .malformed(line: 2))
  }

  @Test(arguments: ["0p", "p", "720i", "-1", "1G", "99999999999999999999", ""])
  func `a variant that is none is refused`(text: String) {
    #expect(PlaylistVariant(rawValue: text) == nil)
  }
}
