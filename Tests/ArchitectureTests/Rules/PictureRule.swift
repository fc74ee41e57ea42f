import Foundation
import FoundationXML

/// Finds pictures of screens that do not match their captions.
///
/// The caption is the image's alternative text. Each file name in it (`disk.iso`) and each text
/// in quotes (`"needs a login"`) must be in the picture's text. An empty picture is a mistake, and
/// so is a transfer at 0 B/s, except in a later frame of a moving picture.
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
    let missing = caption.promises.filter { promise in
      !texts.contains { $0.content.contains(promise) }
    }
    let stalled = texts.filter { $0.isVisible && $0.content.contains(/(^|\s)0 B\/s/) }
    return missing.map { finding("does not show \"\($0)\"") }
      + stalled.map { finding("shows a stalled transfer: \"\($0.content)\"") }
  }

  /// Returns what is wrong with a picture of `docs/pictures` whatever its caption: no document
  /// shows it, it is not well-formed, or it shows no text without its animation.
  static func findings(in picture: SourceText, shownIn documents: [SourceText]) -> [Finding] {
    func finding(_ why: String) -> Finding { Finding(path: picture.path, line: 0, why: why) }
    var findings: [Finding] = []
    let name = picture.folders.suffix(2).joined(separator: "/")
    if !documents.contains(where: { $0.lines.contains { $0.contains(name + ")") } }) {
      findings.append(finding("no document shows it"))
    }
    guard let texts = texts(in: picture.lines.joined(separator: "\n")) else {
      return findings + [finding("is not well-formed XML")]
    }
    if !texts.contains(where: { $0.isVisible && !$0.content.allSatisfy(\.isWhitespace) }) {
      findings.append(finding("shows no text"))
    }
    return findings
  }

  struct Text: Hashable {
    var content: String
    /// Whether it shows without an animation.
    var isVisible: Bool
  }

  /// The `text` elements; nil when the document cannot be parsed.
  static func texts(in picture: String) -> [Text]? {
    let reader = TextElements()
    let parser = XMLParser(data: Data(picture.utf8))
    parser.delegate = reader
    // It returns true even if an element has no end.
    return parser.parse() && parser.parserError == nil ? reader.texts : nil
  }

  private final class TextElements: NSObject, XMLParserDelegate {
    private(set) var texts: [Text] = []
    private var open: Text?
    /// The number of open elements from the first one that is hidden.
    private var hiddenDepth = 0

    func parser(
      _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
      qualifiedName: String?, attributes: [String: String]
    ) {
      if hiddenDepth > 0 || attributes["visibility"] == "hidden" { hiddenDepth += 1 }
      if name == "text" { open = Text(content: "", isVisible: hiddenDepth == 0) }
    }

    func parser(_ parser: XMLParser, foundCharacters characters: String) {
      open?.content.append(characters)
    }

    func parser(
      _ parser: XMLParser, didEndElement name: String, namespaceURI: String?,
      qualifiedName: String?
    ) {
      if hiddenDepth > 0 { hiddenDepth -= 1 }
      if name == "text", let text = open { texts.append(text) }
      if name == "text" { open = nil }
    }
  }
}
