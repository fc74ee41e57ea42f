import CCurl
import Glibc
import TransferEngine
import TransferModel

/// The body of a request on its way out.
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
    // libcurl's form of a PUT is the one that adds nothing of its own, and whose body it reads
    // again from where a login or a lost connection wants it.
    options.set(CURLOPT_UPLOAD, 1)
    options.note(
      kettle_easy_set_off(easy, CURLOPT_INFILESIZE_LARGE, curl_off_t(upload.body.byteCount)))
    options.set(CURLOPT_UPLOAD_BUFFERSIZE, 256 * 1024)
    options.set(CURLOPT_EXPECT_100_TIMEOUT_MS, 1000)
    options.set(CURLOPT_READDATA, context)
    options.set(CURLOPT_READFUNCTION, Self.onBodyWanted)
    options.set(CURLOPT_SEEKDATA, context)
    options.note(kettle_easy_set_seek_function(easy, Self.onSeek))
    options.set(CURLOPT_XFERINFODATA, context)
    options.note(kettle_easy_set_progress_function(easy, Self.onProgress))
    options.set(CURLOPT_NOPROGRESS, 0)
  }

  /// The header lines of a request with this body: how long it is, libcurl says.
  func headers(of request: AttemptRequest) -> [HeaderField] {
    guard let upload else { return request.headers }
    var headers = request.headers.filter {
      !["content-length", "transfer-encoding"].contains($0.name.lowercased())
    }
    let isAsking = headers.contains { $0.name.lowercased() == "expect" }
    if isAsking || upload.body.byteCount > RequestContent.expectByteCount {
      headReader.mayAnswer417 = true
    } else if let silent = HeaderField(name: "Expect", value: "") {
      headers.append(silent)
    }
    return headers
  }
}

// MARK: - Callbacks

extension CurlAttempt {
  fileprivate static let onBodyWanted: curl_write_callback = { buffer, size, count, context in
    guard let attempt = CurlAttempt.of(context: context) else { return kettle_read_abort }
    return attempt.giveBody(to: UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
  }

  fileprivate static let onSeek: curl_seek_callback = { context, offset, origin in
    guard let attempt = CurlAttempt.of(context: context), origin == SEEK_SET,
      attempt.upload?.body.seek(to: Int64(offset)) == true
    else { return Int32(CURL_SEEKFUNC_FAIL) }
    return Int32(CURL_SEEKFUNC_OK)
  }

  fileprivate static let onProgress: curl_xferinfo_callback = { context, _, _, _, sentByteCount in
    CurlAttempt.of(context: context)?.bodyWent(to: Int64(sentByteCount))
    return 0
  }

  private func giveBody(to buffer: UnsafeMutableRawBufferPointer) -> Int {
    loop.assertIsOnThread()
    switch upload?.body.read(into: buffer) {
    case .success(let count): return count
    case .failure(let failure):
      phase = .decided(.failed(failure))
      return kettle_read_abort
    case nil: return kettle_read_abort
    }
  }

  /// libcurl calls it all the time; most times nothing has changed.
  private func bodyWent(to byteCount: Int64) {
    loop.assertIsOnThread()
    guard var upload, upload.progress.sentByteCount != byteCount else { return }
    pace.note(Int(clamping: max(byteCount - upload.progress.sentByteCount, 0)))
    let told = upload.progress.note(byteCount, at: loop.now)
    _ = upload.progress.isMoving(unconfirmed: unconfirmedByteCount)
    self.upload = upload
    noteSign()
    if let told { loop.emit(.sent(id, byteCount: told)) }
  }

  /// Before the head or the end is told: they come behind everything that was sent.
  func tellWhatWasSent() {
    guard let told = upload?.progress.untold(at: loop.now) else { return }
    loop.emit(.sent(id, byteCount: told))
  }
}

// MARK: - Deadlines

extension CurlAttempt {
  /// Whether the server can be expected to answer.
  var isRequestWhole: Bool { upload?.progress.isWhole ?? true }

  /// Whether the server's side took some of the body since this was asked last. The kernel takes
  /// megabytes in a moment and is as silent as the server while they drip away.
  func isBodyMoving() -> Bool {
    upload?.progress.isMoving(unconfirmed: unconfirmedByteCount) == true
  }

  /// The server's side showed that it is there: the silence is over, and the time for the head has
  /// not begun while there is something to take.
  func noteSign() {
    switch phase {
    case .awaitingHead: phase = .awaitingHead(silentSince: loop.now)
    case .receiving(let sink, _): phase = .receiving(sink, silentSince: loop.now)
    case .connecting, .headTold, .bodyHeld, .blocked, .throttled, .decided: break
    }
    if headBegunAt != nil { headBegunAt = loop.now }
  }

  /// How many bytes the kernel holds that the other end did not confirm yet (SIOCOUTQ, tcp(7)).
  private var unconfirmedByteCount: Int64 {
    var descriptor = CURL_SOCKET_BAD
    guard kettle_easy_get_socket(easy, &descriptor) == CURLE_OK, descriptor != CURL_SOCKET_BAD
    else { return 0 }
    var count: Int32 = 0
    return ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 ? Int64(count) : 0
  }
}
