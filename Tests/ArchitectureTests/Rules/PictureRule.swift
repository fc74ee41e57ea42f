import Foundation
import FoundationXML

/// Finds pictures of screens that do not match their captions.
///
/// The caption is the image's alternative text. Each file name in it (`disk.iso`) and each text
/// in quotes (`"needs a login"`) must be in the picture's text. An empty picture is a mistake, and
/// so is a transfer at 0 B/s.
enum PictureRule {
  struct Caption: Hashable {
    var text: String
    var picturePath: String
    var line: Int

    /// The file names and quoted texts.
    var promises: [String] {
      let quoted = text.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
        .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
      let names = text.split { " ,:;()\"".contains($0) }.map(String.init)
        .filter { $0.contains(/[A-Za-z0-9]\.[A-Za-z]/) }
      return quoted + names
    }
  }

  /// The images of screens in a Markdown file, whose captions may be several lines; plots under
  /// `docs/pictures` are named `growth-…`.
  static func captions(in document: SourceText) -> [Caption] {
    let text = document.lines.joined(separator: "\n")
    return text.matches(of: /!\[([^\]]*)\]\(([^)]*\.svg)\)/).compactMap { match -> Caption? in
      guard !match.output.2.contains("growth-") else { return nil }
      let line = text[..<match.range.lowerBound].count { $0 == "\n" } + 1
      return Caption(
        text: String(match.output.1.map { $0 == "\n" ? " " : $0 }),
        picturePath: String(match.output.2),
        line: line)
    }
  }

  /// Returns the parts of the caption that the picture does not show.
  static func findings(_ caption: Caption, picture: String?, in paperPath: String) -> [Finding] {
    func finding(_ why: String) -> Finding {
      Finding(path: paperPath, line: caption.line, why: "\(caption.picturePath) \(why)")
    }
    guard let picture else { return [finding("is not there")] }
    guard let texts = texts(in: picture) else { return [finding("is not well-formed XML")] }
    guard !caption.promises.isEmpty else { return [finding("has a caption that names nothing")] }
    let missing = caption.promises.filter { promise in !texts.contains { $0.contains(promise) } }
    let stalled = texts.filter { $0.contains(/(^|\s)0 B\/s/) }
    return missing.map { finding("does not show \"\($0)\"") }
      + stalled.map { finding("shows a stalled transfer: \"\($0)\"") }
  }

  /// The contents of the `text` elements; nil when the document cannot be parsed.
  static func texts(in picture: String) -> [String]? {
    let reader = TextElements()
    let parser = XMLParser(data: Data(picture.utf8))
    parser.delegate = reader
    return parser.parse() ? reader.texts : nil
  }

  private final class TextElements: NSObject, XMLParserDelegate {
    private(set) var texts: [String] = []
    private var open: String?

    func parser(
      _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
      qualifiedName: String?, attributes: [String: String]
    ) {
      if name == "text" { open = "" }
    }

    func parser(_ parser: XMLParser, foundCharacters characters: String) {
      open?.append(characters)
    }

    func parser(
      _ parser: XMLParser, didEndElement name: String, namespaceURI: String?,
      qualifiedName: String?
    ) {
      if name == "text", let text = open { texts.append(text) }
      if name == "text" { open = nil }
    }
  }
}
