import CKettleCurl
import Glibc
import KettleEngine
import KettleModel

/// A request body that is being sent.
struct Upload {
  let body: UploadBody
  var progress: UploadProgress

  init(_ body: UploadBody) {
    self.body = body
    progress = UploadProgress(byteCount: body.byteCount)
  }
}

// MARK: - Options

extension CurlAttempt {
  func setContent(_ content: RequestContent, _ options: inout EasyOptions) {
    if content.method == "HEAD" { return options.set(CURLOPT_NOBODY, 1) }
    options.set(CURLOPT_CUSTOMREQUEST, content.method)
    guard let upload else { return }
    let context = Unmanaged.passUnretained(self).toOpaque()
    // libcurl's PUT mode adds nothing of its own, and rereads the body from wherever a login or a
    // lost connection requires.
    options.set(CURLOPT_UPLOAD, 1)
    options.check(
      kettle_easy_set_off(easy, CURLOPT_INFILESIZE_LARGE, curl_off_t(upload.body.byteCount)))
    options.set(CURLOPT_UPLOAD_BUFFERSIZE, 256 * 1024)
    // A small body is sent with the header only if it is signed, and need not wait.
    options.set(CURLOPT_EXPECT_100_TIMEOUT_MS, upload.body.isSmall ? 100 : 1000)
    options.set(CURLOPT_READDATA, context)
    options.set(CURLOPT_READFUNCTION, Self.onBodyWanted)
    options.set(CURLOPT_SEEKDATA, context)
    options.check(kettle_easy_set_seek_function(easy, Self.onSeek))
    options.set(CURLOPT_XFERINFODATA, context)
    options.check(kettle_easy_set_progress_function(easy, Self.onProgress))
    options.set(CURLOPT_NOPROGRESS, 0)
  }

  /// Only libcurl sends headers about the body's length and framing: two that differ are two
  /// requests to some servers (RFC 9112, section 11.2).
  func headersToSend(_ headers: [HeaderField]) -> [HeaderField] {
    guard upload != nil else { return headers }
    return headers.filter {
      !["content-length", "transfer-encoding"].contains($0.name.lowercased())
    }
  }

  /// Whether to ask the server first if it wants the body.
  func expectsContinue(_ headers: [HeaderField]) -> Bool {
    guard let upload, upload.body.byteCount > 0 else { return false }
    return !upload.body.isSmall
      || headers.contains { $0.name.lowercased() == "expect" }
  }
}

// MARK: - Callbacks

extension CurlAttempt {
  fileprivate static let onBodyWanted: curl_write_callback = { buffer, size, count, context in
    guard let attempt = CurlAttempt.of(context: context) else { return kettle_read_abort }
    return attempt.readBody(to: UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
  }

  fileprivate static let onSeek: curl_seek_callback = { context, offset, origin in
    guard let attempt = CurlAttempt.of(context: context), origin == SEEK_SET,
      attempt.upload?.body.seek(to: Int64(offset)) == true
    else { return Int32(CURL_SEEKFUNC_FAIL) }
    return Int32(CURL_SEEKFUNC_OK)
  }

  /// The kernel accepts megabytes of a body at once and then is silent while they drain, which
  /// looks like a dead server. So it gets the next piece only when less than this is unsent
  /// (TCP_NOTSENT_LOWAT, tcp(7)); the speed does not suffer.
  private static let unsentByteCountMax: Int32 = 128 * 1024

  /// Set on every connection, because an upload may reuse it.
  static let onSocket: curl_sockopt_callback = { _, descriptor, _ in
    var byteCount = unsentByteCountMax
    setsockopt(
      descriptor, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &byteCount,
      socklen_t(MemoryLayout<Int32>.size))
    return Int32(CURL_SOCKOPT_OK)
  }

  fileprivate static let onProgress: curl_xferinfo_callback = { context, _, _, _, sentByteCount in
    CurlAttempt.of(context: context)?.recordSentBody(to: Int64(sentByteCount))
    return 0
  }

  private func readBody(to buffer: UnsafeMutableRawBufferPointer) -> Int {
    loop.assertIsOnThread()
    switch upload?.body.read(into: buffer) {
    case .success(let count): return count
    case .failure(let failure):
      phase = .decided(.failed(failure))
      return kettle_read_abort
    case nil: return kettle_read_abort
    }
  }

  /// libcurl calls this constantly; usually nothing has changed.
  private func recordSentBody(to byteCount: Int64) {
    loop.assertIsOnThread()
    guard var upload, upload.progress.sentByteCount != byteCount else { return }
    let count = Int(clamping: max(byteCount - upload.progress.sentByteCount, 0))
    pace.record(count, at: loop.now)
    let told = upload.progress.record(byteCount, at: loop.now)
    self.upload = upload
    recordSignOfLife()
    if let told { loop.emit(.sent(id, byteCount: upload.body.start + told)) }
  }

  /// Called before the head or the end is reported, so that both follow the progress events.
  func reportSentBytes() {
    guard var upload, let told = upload.progress.takeUnreported(at: loop.now) else { return }
    self.upload = upload
    loop.emit(.sent(id, byteCount: upload.body.start + told))
  }
}

// MARK: - Deadlines

extension CurlAttempt {
  /// Whether the server can be expected to answer.
  var isRequestWhole: Bool { upload?.progress.isWhole ?? true }

  /// Records a sign of life from the server: the silence ends, and the time limit for the head
  /// starts over while the server still has data to accept.
  func recordSignOfLife() {
    switch phase {
    case .awaitingHead: phase = .awaitingHead(silentSince: loop.now)
    case .receiving: pace.recordSignOfLife(at: loop.now)
    case .connecting, .headReported, .bodyHeld, .blocked, .throttled, .decided: break
    }
    if headStartedAt != nil { headStartedAt = loop.now }
  }
}
