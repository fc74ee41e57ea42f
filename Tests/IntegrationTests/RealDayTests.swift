import Foundation
import Testing

/// The script of a day's work, which `make day` also runs.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct RealDayTests {
  private let home: KettleHome
  private let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path

  init() throws { home = try KettleHome() }

  @Test func `each step of the day shows the expected screen and saves it`() async throws {
    let out = home.path + "/day"
    let played = try await home.run(
      root + "/assets/day/day.sh", KettleHome.program, out)
    #expect(played.code == 0, "\(played.output)\n\(played.errors)")
    let names = try FileManager.default.contentsOfDirectory(atPath: out).sorted()
    #expect(names.contains("03-running.screen"))
    let picture = try await home.run(
      "/usr/bin/env", "LC_ALL=C", "awk", "-f", root + "/assets/day/screen-svg.awk",
      out + "/03-running.screen")
    #expect(picture.code == 0, "\(picture.errors)")
    #expect(picture.output.contains("networking-on-linux"))
  }

  @Test func `a picture reproduces the colours, bars and columns of its screen`() async throws {
    let screen = home.path + "/screen"
    let text =
      "\u{1B}[1mB\u{1B}[0m \u{1B}[38;5;114m日本<&>\u{1B}[39m x\n\u{1B}[7m  █▌\u{1B}[0m▂ e\u{301}\n\n"
    try text.write(toFile: screen, atomically: true, encoding: .utf8)
    let picture = try await home.run(
      "/usr/bin/env", "LC_ALL=C", "awk", "-v", "title=A & B", "-f",
      root + "/assets/day/screen-svg.awk", screen)
    let shapes = picture.output
      .replacing(" xml:space=\"preserve\"", with: "")
      .replacing(" lengthAdjust=\"spacingAndGlyphs\"", with: "")
      .split(separator: "\n").dropFirst()
    #expect(shapes.elementsEqual(Self.shapes.split(separator: "\n")), "\(picture.output)")
    #expect(picture.errors.isEmpty)
  }

  private static let shapes = """
    <title>A &amp; B</title>
    <rect width="100%" height="100%" rx="8" fill="#16181d"/>
    <rect x="14.00" y="32.00" width="33.60" height="18" fill="#d5d8de"/>
    <rect x="30.80" y="34.00" width="8.45" height="14.00" fill="#16181d"/>
    <rect x="39.20" y="34.00" width="4.25" height="14.00" fill="#16181d"/>
    <rect x="47.60" y="44.50" width="8.45" height="3.50" fill="#d5d8de"/>
    <text x="14.00" y="27.50" textLength="8.40" fill="#d5d8de" font-weight="bold">B</text>
    <text x="30.80" y="27.50" textLength="58.80" fill="#87d787">日本&lt;&amp;&gt;</text>
    <text x="98.00" y="27.50" textLength="8.40" fill="#d5d8de">x</text>
    <text x="64.40" y="45.50" textLength="8.40" fill="#d5d8de">e\u{301}</text>
    </svg>
    """
}
