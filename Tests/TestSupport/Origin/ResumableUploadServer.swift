import KettleModel

/// A server of resumable uploads (draft-ietf-httpbis-resumable-upload-05) on a scripted origin.
///
///     let server = ResumableUploadServer(on: origin, at: "/up", takesFirst: [100_000])
///
/// It takes so many bytes of the first requests with content, and then waits for the test to cut
/// the connection. It keeps what it was sent, and answers the upload with 201 when it is complete.
package final class ResumableUploadServer: Sendable {
  private let origin: ScriptedOrigin
  package let path: String
  /// The path of the upload resource.
  package let resource: String

  package init(
    on origin: ScriptedOrigin, at path: String, takesFirst byteCounts: [Int64] = []
  ) {
    self.origin = origin
    self.path = path
    resource = path + "/resource"
    origin.serve(at: path) { [unowned self] request in
      taking(request, byteCounts, announcing: true)
    }
    origin.serve(at: resource) { [unowned self] request in
      request.method == "HEAD" ? offset : taking(request, byteCounts, announcing: false)
    }
  }

  package var announcement: ResponseHead {
    ResponseHead(
      status: 104,
      headers: [
        HeaderField(received: "Upload-Draft-Interop-Version", "6"),
        HeaderField(received: "Location", resource),
      ])
  }

  /// The requests with content, in order.
  package var uploads: [OriginRequest] {
    origin.requests.filter { [path, resource].contains($0.path) && $0.method != "HEAD" }
  }

  /// What it has of the file: the content of the creation and of the appended parts that begin
  /// where it ends.
  package var received: [UInt8] {
    uploads.reduce(into: []) { bytes, request in
      if request.path == path { bytes = [] }
      guard request.uploadOffset ?? 0 == bytes.count else { return }
      bytes += request.body
    }
  }

  private var isComplete: Bool {
    uploads.last.map { $0.bodyByteCount == $0.contentLength } ?? false
  }

  private var offset: OriginBehavior {
    .status(
      204,
      headers: [
        HeaderField(received: "Upload-Offset", "\(received.count)"),
        HeaderField(received: "Upload-Complete", isComplete ? "?1" : "?0"),
      ])
  }

  private func taking(
    _ request: OriginRequest, _ byteCounts: [Int64], announcing isCreation: Bool
  ) -> OriginBehavior {
    var behavior = OriginBehavior.status(
      201, headers: [HeaderField(received: "Upload-Complete", "?1")], text: "Thank you")
    if isCreation { behavior.interimHeads = [announcement] }
    let index = uploads.count - 1
    if byteCounts.indices.contains(index) {
      behavior.taking = .first(byteCounts[index], then: .wait(until: "for ever"))
    }
    return behavior
  }
}

extension OriginRequest {
  /// The offset of its content in the whole upload; nil for the first request.
  package var uploadOffset: Int? { value(of: "Upload-Offset").flatMap { Int($0) } }
}
