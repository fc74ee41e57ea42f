import KettleModel
import Testing

@testable import KettleCurl

struct ResponseHeadFramingTests {
  private func head(_ status: Int = 200, _ fields: (String, String)...) -> ResponseHead {
    ResponseHead(status: status, headers: fields.map { HeaderField(received: $0.0, $0.1) })
  }

  @Test func `the head determines where the body ends`() {
    #expect(head(200, ("content-length", "12")).bodyEnd == .byteCount(12))
    #expect(head(200, ("Content-Length", "12, 12")).bodyEnd == .byteCount(12))
    #expect(head(200, ("Transfer-Encoding", "Chunked")).bodyEnd == .lastChunk(announced: nil))
    #expect(head(200).bodyEnd == .connectionEnd)
  }

  // Fault 24
  @Test func `a body is complete with exactly the announced bytes`() {
    let end = ResponseHead.BodyEnd.byteCount(10)
    #expect(end.problem(after: 10, isEndAuthentic: false) == nil)
    let early = end.problem(after: 9, isEndAuthentic: true)
    #expect(early?.code == .truncated)
    #expect(early?.detail == "9 of 10 bytes came")
    #expect(end.problem(after: 11, isEndAuthentic: true)?.code == .tooLong)
  }

  // Fault 26
  @Test func `the end of a connection completes a body only if it is authentic`() {
    let end = ResponseHead.BodyEnd.connectionEnd
    #expect(end.problem(after: 10, isEndAuthentic: true) == nil)
    #expect(end.problem(after: 10, isEndAuthentic: false)?.code == .truncated)
    #expect(
      ResponseHead.BodyEnd.lastChunk(announced: nil).problem(after: 10, isEndAuthentic: false)
        == nil)
  }

  // Fault 28
  @Test func `chunks and a length must agree`() {
    let end = ResponseHead.BodyEnd.lastChunk(announced: 10)
    #expect(end.problem(after: 10, isEndAuthentic: true) == nil)
    let problem = end.problem(after: 11, isEndAuthentic: true)
    #expect(problem?.code == .protocolBroken)
    #expect(problem?.detail == "11 bytes in chunks, and a Content-Length of 10")
  }

  // Fault 28
  @Test func `chunks take precedence over a length`() {
    let both = head(200, ("Content-Length", "12"), ("Transfer-Encoding", "chunked"))
    #expect(both.bodyEnd == .lastChunk(announced: 12))
    #expect(both.framingProblem == nil)
  }

  @Test(arguments: [204, 304])
  func `some responses have no body regardless of their headers`(status: Int) {
    #expect(head(status, ("Content-Length", "12")).bodyEnd == .byteCount(0))
  }

  // Fault 28
  @Test func `different lengths are a problem in one header and in two`() {
    let problem = "it has two different Content-Length headers"
    #expect(head(200, ("Content-Length", "1, 2")).framingProblem == problem)
    #expect(
      head(200, ("Content-Length", "1"), ("content-length", "2")).framingProblem == problem)
  }

  // Fault 28
  @Test(arguments: ["", "-1", "+1", "1 2", "1,", "9223372036854775808", "１"])
  func `a length must be a number of 63 bits`(length: String) {
    #expect(
      head(200, ("Content-Length", length)).framingProblem
        == "its Content-Length is not a number")
  }

  @Test(arguments: ["gzip", "chunked, gzip", "gzip, chunked", ""])
  func `a transfer coding other than chunked is a problem`(coding: String) {
    #expect(
      head(200, ("Transfer-Encoding", coding)).framingProblem
        == "it uses a transfer coding that was not requested")
  }
}
