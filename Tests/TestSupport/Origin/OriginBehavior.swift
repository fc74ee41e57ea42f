import KettleModel

/// How the origin responds to one request: a value with a correct file and the deviations from it.
package struct OriginBehavior: Hashable, Sendable {
  package var answer: Answer = .file
  package var body: SeededBody
  package var ranges = Ranges.honoured
  package var ifRange = IfRange.honoured
  package var entityTag = EntityTag.strong
  package var lastModified: String? = "Wed, 21 Oct 2015 07:28:00 GMT"
  /// Long after `lastModified`, which makes that a strong validator; nil sends none.
  package var date: String? = "Thu, 22 Oct 2015 07:28:00 GMT"
  package var framing = Framing.contentLength
  package var ending = Ending.whole
  /// Sent after the origin's own headers, for example Content-Disposition and Content-Encoding.
  package var headers: [HeaderField] = []
  /// Responds with 401 to a request without this login.
  package var login: Login?
  package var loginScheme = LoginScheme.basic
  /// How it reads the body of a request.
  package var taking = Taking.whole
  /// How it reads the body of a request with a 401 response; nil for the same as others.
  package var takingWithoutLogin: Taking?
  package var takenBytesPerSecond: Int64?
  /// Whether a client that sends Expect: 100-continue gets a 100 response.
  package var answersExpect = true
  /// Sent before the body of the request is read.
  package var interimHeads: [ResponseHead] = []
  package var stall: Stall?
  /// Never sends the bytes of the file from this offset on.
  package var withheldOffset: Int64?
  /// Delays the head until the test releases the event with this name.
  package var headWaitsFor: String?
  /// Sends the head byte by byte at this rate.
  package var headBytesPerSecond: Int64?
  package var bytesPerSecond: Int64?
  /// Whether the connection stays open after a `raw` response.
  package var staysOpenBehindRaw = false

  package init(_ body: SeededBody) { self.body = body }

  package enum Answer: Hashable, Sendable {
    case file
    /// With a text as its body, and with `headers`.
    case status(Int, text: String)
    case redirect(Int, location: String)
    /// These bytes unchanged, and then the end of the connection.
    case raw([UInt8])
    /// No byte at all, only the end of the connection.
    case nothing(Cut)
  }

  package enum Ranges: Hashable, Sendable {
    case honoured
    /// 200 and the full file for any request.
    case ignored
    /// `Accept-Ranges: bytes` but always the full file.
    case promisedAndIgnored
    /// The correct bytes with this Content-Range.
    case labeled(String)
    /// Bytes from a shifted offset, labeled correctly.
    case shifted(by: Int64)
    /// Bytes from a shifted offset, labeled as the requested range.
    case shiftedInSecret(by: Int64)
    case withoutContentRange
    /// At most this many bytes, labeled correctly.
    case shortened(to: Int64)
    /// `bytes 0-9/*`
    case totalUnknown
    case totalWrong(Int64)
    /// The single range as multipart/byteranges.
    case multipart
    /// 416, with the total.
    case unsatisfiable
    case unsatisfiableWithoutTotal
    /// The bytes of the range with status 200, as if they were the full file.
    case partAsWhole(withContentRange: Bool)
  }

  package enum IfRange: Hashable, Sendable {
    case honoured
    /// The range, even if the validator does not match.
    case ignored
    /// The full file, even if the validator matches.
    case alwaysWhole
  }

  package enum EntityTag: Hashable, Sendable {
    /// Derived from the body: another body has another tag.
    case strong
    case weak
    case none
    /// Another one for each request, for the same bytes.
    case rotating
    case fixed(String)
  }

  package enum Framing: Hashable, Sendable {
    case contentLength
    /// Instead of the correct length: wrong, absurd or duplicated.
    case contentLengths([String])
    /// Neither length nor chunks: the body ends with the connection.
    case untilClose
    case chunked
    /// Chunks, without the header that announces them.
    case chunkedUnannounced
    /// Without the last, empty chunk.
    case chunkedWithoutEnd
    /// This text in place of the first chunk size.
    case chunkedMalformed(String)
    /// Chunks of a given size, with or without a defect.
    case chunkScript(ChunkScript)
  }

  package enum Ending: Hashable, Sendable {
    case whole
    /// After this many bytes of the body.
    case cut(after: Int64, Cut)
    /// This many bytes more than announced.
    case excess(Int)
  }

  package enum LoginScheme: Hashable, Sendable {
    case basic
    /// With MD5 and a nonce that never changes (RFC 7616).
    case digest
  }

  package enum Taking: Hashable, Sendable {
    /// To its end, before the response.
    case whole
    /// This many bytes, or all if there are fewer.
    case first(Int64, then: Then)

    package enum Then: Hashable, Sendable {
      /// Responds and closes the connection.
      case answer
      /// Ends the connection without a response.
      case cut(Cut)
      /// Reads the rest after the test releases the event, and responds.
      case wait(until: String)
    }
  }

  package enum Cut: Hashable, Sendable {
    case fin, reset
  }

  /// Stops after this many bytes of the body until the test releases the event.
  package struct Stall: Hashable, Sendable {
    package var afterByteCount: Int64
    package var until: String

    package init(after byteCount: Int64, until event: String) {
      afterByteCount = byteCount
      until = event
    }
  }
}

// MARK: - Complete responses

extension OriginBehavior {
  private static let empty = SeededBody(seed: 0, byteCount: 0)

  /// An error, or any other response without a file.
  package static func status(
    _ status: Int, headers: [HeaderField] = [], text: String = ""
  ) -> OriginBehavior {
    var behavior = OriginBehavior(empty)
    behavior.answer = .status(status, text: text)
    behavior.headers = headers
    return behavior
  }

  /// These bytes, with their length and a media type.
  package static func whole(
    _ bytes: [UInt8], mediaType: String = "application/octet-stream"
  ) -> OriginBehavior {
    let head =
      "HTTP/1.1 200 OK\r\nContent-Type: \(mediaType)\r\nContent-Length: \(bytes.count)\r\n"
      + "Connection: close\r\n\r\n"
    var behavior = OriginBehavior(empty)
    behavior.answer = .raw(Array(head.utf8) + bytes)
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

  /// This behavior with a permanent stall after this many bytes of the body, so that the rest of
  /// the test is not a race.
  package func stuck(after byteCount: Int64) -> OriginBehavior {
    with { $0.stall = Stall(after: byteCount, until: "for ever") }
  }

  /// This behavior with a change, for use in one expression.
  package func with(_ change: (inout OriginBehavior) -> Void) -> OriginBehavior {
    var changed = self
    change(&changed)
    return changed
  }
}
