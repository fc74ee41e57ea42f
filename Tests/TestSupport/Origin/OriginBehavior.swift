import KettleModel

/// How the origin answers one request: a value, made of a truthful file and the lies about it.
package struct OriginBehavior: Hashable, Sendable {
  package var answer: Answer = .file
  package var body: SeededBody
  package var ranges = Ranges.honoured
  package var ifRange = IfRange.honoured
  package var entityTag = EntityTag.strong
  package var lastModified: String? = "Wed, 21 Oct 2015 07:28:00 GMT"
  /// Long after `lastModified`, which is a strong validator then; nil sends none.
  package var date: String? = "Thu, 22 Oct 2015 07:28:00 GMT"
  package var framing = Framing.contentLength
  package var ending = Ending.whole
  /// Sent behind the origin's own; Content-Disposition and Content-Encoding among them.
  package var headers: [HeaderField] = []
  /// Answers 401 to a request without this login.
  package var login: Login?
  package var loginScheme = LoginScheme.basic
  /// How it takes the body of a request.
  package var taking = Taking.whole
  /// How it takes the body of one that it answers with 401; nil is as all others.
  package var takingWithoutLogin: Taking?
  package var takenBytesPerSecond: Int64?
  /// Whether a client that asks first (Expect: 100-continue) is told to go on.
  package var answersExpect = true
  package var stall: Stall?
  /// Holds the head back until the test releases the event with this name.
  package var headWaitsFor: String?
  /// Sends the head a byte at a time, as many a second.
  package var headBytesPerSecond: Int64?
  package var bytesPerSecond: Int64?
  /// Whether the connection stays open behind a `raw` answer.
  package var staysOpenBehindRaw = false

  package init(_ body: SeededBody) { self.body = body }

  package enum Answer: Hashable, Sendable {
    case file
    /// With a text as its body; `headers` come along.
    case status(Int, text: String)
    case redirect(Int, location: String)
    /// These bytes as they are, then the end of the connection.
    case raw([UInt8])
    /// No byte at all: the end of the connection.
    case nothing(Cut)
  }

  package enum Ranges: Hashable, Sendable {
    case honoured
    /// 200 and the whole file, whatever was asked.
    case ignored
    /// `Accept-Ranges: bytes` and the whole file all the same.
    case promisedAndIgnored
    /// The right bytes under this Content-Range.
    case labelled(String)
    /// Bytes from as much further on, truly labelled.
    case shifted(by: Int64)
    /// Bytes from as much further on, labelled as what was asked.
    case shiftedInSecret(by: Int64)
    case withoutContentRange
    /// At most as many bytes as this, truly labelled.
    case shortened(to: Int64)
    /// `bytes 0-9/*`
    case totalUnknown
    case totalWrong(Int64)
    /// The one range as multipart/byteranges.
    case multipart
    /// 416, with the total.
    case unsatisfiable
    case unsatisfiableWithoutTotal
    /// The right bytes with the status 200, as if they were the whole file.
    case partAsWhole(withContentRange: Bool)
  }

  package enum IfRange: Hashable, Sendable {
    case honoured
    /// The range, also when the validator is another.
    case ignored
    /// The whole file, also when the validator is the same.
    case alwaysWhole
  }

  package enum EntityTag: Hashable, Sendable {
    /// Made from the body: another body, another tag.
    case strong
    case weak
    case none
    /// Another one for each request, of the same bytes.
    case rotating
    case fixed(String)
  }

  package enum Framing: Hashable, Sendable {
    case contentLength
    /// In place of the right length: wrong, absurd, doubled.
    case contentLengths([String])
    /// Neither length nor chunks: the end of the connection is the end.
    case untilClose
    case chunked
    /// Without the last, empty chunk.
    case chunkedWithoutEnd
    /// This where the first chunk's size belongs.
    case chunkedMalformed(String)
    /// Chunks of a given size, with a flaw or without.
    case chunkScript(ChunkScript)
  }

  package enum Ending: Hashable, Sendable {
    case whole
    /// After as many bytes of body.
    case cut(after: Int64, Cut)
    /// As many bytes more than announced.
    case excess(Int)
  }

  package enum LoginScheme: Hashable, Sendable {
    case basic
    /// With MD5 and one nonce for ever (RFC 7616).
    case digest
  }

  package enum Taking: Hashable, Sendable {
    /// To its end; then comes the answer.
    case whole
    /// So many bytes, or all when there are fewer.
    case first(Int64, then: Then)

    package enum Then: Hashable, Sendable {
      /// Answers, and closes the connection.
      case answer
      /// Ends the connection without a word.
      case cut(Cut)
      /// Takes the rest when the test releases the event, and answers.
      case wait(until: String)
    }
  }

  package enum Cut: Hashable, Sendable {
    case fin, reset
  }

  /// Sends no more after so many bytes of body, until the test releases the event.
  package struct Stall: Hashable, Sendable {
    package var afterByteCount: Int64
    package var until: String

    package init(after byteCount: Int64, until event: String) {
      afterByteCount = byteCount
      until = event
    }
  }
}

// MARK: - Whole answers

extension OriginBehavior {
  private static let empty = SeededBody(seed: 0, byteCount: 0)

  /// An error, or anything else that is no file.
  package static func status(
    _ status: Int, headers: [HeaderField] = [], text: String = ""
  ) -> OriginBehavior {
    var behavior = OriginBehavior(empty)
    behavior.answer = .status(status, text: text)
    behavior.headers = headers
    return behavior
  }

  package static func redirect(_ status: Int = 302, to location: String) -> OriginBehavior {
    var behavior = OriginBehavior(empty)
    behavior.answer = .redirect(status, location: location)
    return behavior
  }

  package static func raw(_ bytes: [UInt8]) -> OriginBehavior {
    var behavior = OriginBehavior(empty)
    behavior.answer = .raw(bytes)
    return behavior
  }

  package static func raw(_ text: String) -> OriginBehavior { raw(Array(text.utf8)) }

  package static func nothing(_ cut: Cut) -> OriginBehavior {
    var behavior = OriginBehavior(empty)
    behavior.answer = .nothing(cut)
    return behavior
  }

  /// This behaviour, with nothing more after so many bytes of body: what follows has all the time
  /// it needs.
  package func stuck(after byteCount: Int64) -> OriginBehavior {
    with { $0.stall = Stall(after: byteCount, until: "for ever") }
  }

  /// This behaviour with something changed, to be written in one expression.
  package func with(_ change: (inout OriginBehavior) -> Void) -> OriginBehavior {
    var changed = self
    change(&changed)
    return changed
  }
}
