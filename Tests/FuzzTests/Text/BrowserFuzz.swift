import KettleModel
import KettleRPC

@testable import KettleCommands

/// What a browser's extension and the links of web pages send: reading ends however the bytes are
/// split, and nothing chooses a directory, a hidden name or a second header.
struct BrowserFuzz: TextFuzzPart {
  let name = "browser"
  let sharePercent = 1
  let samples: [[UInt8]]
  let mutator: TextMutator

  init() {
    samples = Self.texts.map { Array($0.utf8) }
    mutator = TextMutator(
      words: [
        "\"name\":\"", "\"directory\":\"/etc\"", "../", "..\\\\", "\\u0000", "\\r\\n", "\\u002e",
        "\"cookies\":[", "\"hostOnly\":false", "\"domain\":\".\"", "\"transfer\":", "%2F", "%0D%0A",
        "&url=", "&dir=/etc", "&title=", "%E2%80%AE", "file:///",
      ], samples: samples)
  }

  func finding(for input: [UInt8]) -> String? {
    let link = try? KettleLink(String(decoding: input, as: UTF8.self))
    if let finding = link.flatMap(finding(in:)) { return finding }
    if let finding = finding(inFrames: input) { return finding }
    let request = BrowserRequest(input)
    let reply = JSONWriter.bytes(BrowserReply.error("sentence", id: request.id))
    if (try? JSONReader.value(reply)) == nil { return "a reply that is no JSON" }
    guard case .success(.add(let download)) = request.call else { return nil }
    return finding(in: download.spec)
  }

  private func finding(in link: KettleLink) -> String? {
    if link.spec.beginning != .paused { return "a link starts a transfer" }
    let hasControl = link.title?.unicodeScalars.contains { $0.isControl || $0.isInvisible }
    if hasControl == true { return "the title \(link.title ?? "")" }
    return finding(in: link.spec)
  }

  private func finding(in spec: TransferSpec) -> String? {
    if let directory = spec.directory { return "the directory \(directory)" }
    if let name = spec.name, FileName(foreign: name.text) != name {
      return "the name \(name.text)"
    }
    for header in spec.headers where HeaderField(name: header.name, value: header.value) == nil {
      return "a header that must not be sent: \(header)"
    }
    if spec.options.cookies.contains(where: { !$0.isUsable }) { return "a cookie that is none" }
    if spec.options.cookies.count > TransferOptions.cookieCountMax { return "too many cookies" }
    return nil
  }

  /// Frames mean the same in one piece and byte by byte.
  private func finding(inFrames input: [UInt8]) -> String? {
    let message = NativeFrames.frame(input) ?? []
    let stream = message + input
    let whole = messages(in: stream, pieceByteCount: stream.count)
    if whole.first != input, !message.isEmpty { return "a message is not what was framed" }
    return messages(in: stream, pieceByteCount: 5) == whole
      ? nil : "in pieces it means something else"
  }

  private func messages(in stream: [UInt8], pieceByteCount: Int) -> [[UInt8]] {
    var frames = NativeFrames()
    var messages: [[UInt8]] = []
    for start in stride(from: 0, to: stream.count, by: max(1, pieceByteCount)) {
      frames.append(stream[start..<min(stream.count, start + pieceByteCount)].span)
      do {
        while let message = try frames.next() { messages.append(message) }
      } catch {
        return messages
      }
    }
    return messages
  }

  private static let texts = [
    #"{"id":1,"method":"add","download":{"url":"https://a.example/f.iso?x=1","name":"f.iso","#
      + #""referrer":"https://b.example/p?q=1","userAgent":"Mozilla/5.0 (X11; Linux x86_64)","#
      + #""cookies":[{"name":"sid","value":"a=b","domain":".a.example","hostOnly":false,"#
      + #""path":"/","secure":true}]}}"#,
    #"{"id":"q","method":"pause","transfer":3}"#,
    #"{"id":null,"method":"list"}"#,
    "kettle://add?url=https%3A%2F%2Fa.example%2Ff%3Fx%3D1&title=The%20file",
  ]
}
