import KettleModel

/// Playlists and lists of checksums: reading ends, and what is read is bounded.
struct PlaylistFuzz: TextFuzzPart {
  let name = "playlist"
  let sharePercent = 2
  let samples: [[UInt8]]
  let mutator: TextMutator

  init() {
    samples = Self.texts.map { Array($0.utf8) }
    mutator = TextMutator(
      words: [
        "#EXTM3U\n", "#EXTINF:6,\n", "#EXT-X-ENDLIST\n", "#EXT-X-BYTERANGE:", "@", "METHOD=AES-128",
        "METHOD=NONE", "URI=\"", "IV=0x", "#EXT-X-MAP:", "#EXT-X-STREAM-INF:", "BANDWIDTH=",
        "RESOLUTION=", "9223372036854775807", "-1", "1e308", "nan", ",", "\"", "SHA256 (", ") = ",
        "\\", "\r\n",
      ], samples: samples)
  }

  func finding(for input: [UInt8]) -> String? {
    _ = ChecksumList(input).checksum(forOneOf: ["a.iso"])
    switch try? Playlist.read(input) {
    case nil: return nil
    case .variants(let variants):
      guard let chosen = try? Playlist.choose(.lines(720), of: variants) else { return nil }
      return chosen.hasSoundApart ? "a variant without sound is chosen" : nil
    case .segments(let media):
      if media.segments.isEmpty { return "no segments" }
      if media.milliseconds < 0 { return "\(media.milliseconds) ms" }
      for segment in media.segments {
        if let range = segment.range, range.isEmpty || range.lower < 0 { return "\(range)" }
        if let key = segment.key,
          key.initializationVector.count != MediaPlaylist.Key.byteCount
        {
          return "a vector of \(key.initializationVector.count) bytes"
        }
      }
      return nil
    }
  }

  private static let texts = [
    """
    #EXTM3U
    #EXT-X-MEDIA-SEQUENCE:7
    #EXT-X-MAP:URI="i.mp4",BYTERANGE="100@0"
    #EXT-X-KEY:METHOD=AES-128,URI="k?a=1,2",IV=0x00000000000000000000000000000001
    #EXTINF:6.006,
    #EXT-X-BYTERANGE:200@100
    a.ts
    #EXTINF:4,
    #EXT-X-BYTERANGE:50
    a.ts
    #EXT-X-ENDLIST
    """,
    """
    #EXTM3U
    #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="x",URI="s.m3u8"
    #EXT-X-STREAM-INF:BANDWIDTH=1200000,RESOLUTION=1280x720,AUDIO="a"
    720.m3u8
    #EXT-X-STREAM-INF:BANDWIDTH=300000
    low.m3u8
    """,
    """
    abababababababababababababababababababababababababababababababab  a.iso
    \\cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd *b\\\\c.iso
    SHA256 (a.iso) = abababababababababababababababababababababababababababababababab
    """,
  ]
}
