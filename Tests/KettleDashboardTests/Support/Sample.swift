import KettleDashboard
import KettleModel

/// Sample transfers, one for each kind of row.
enum Sample {
  /// 2026-11-21T12:00:00Z, ten minutes after the machine started.
  static let now = moment(seconds: 0)

  static func moment(seconds: Int64) -> Moment {
    Moment(
      monotonic: MonotonicTime(milliseconds: 600_000 + seconds * 1000),
      wall: WallTime(millisecondsSince1970: 1_795_262_400_000 + seconds * 1000))
  }

  static func time(seconds: Int64) -> WallTime { moment(seconds: seconds).wall }

  static let mebibyte: Int64 = 1 << 20

  static func row(
    _ number: Int64, titled title: String, state: TransferState,
    _ change: (inout TransferSnapshot) -> Void = { _ in }
  ) -> TransferSnapshot {
    var row = TransferSnapshot(
      id: TransferID(rawValue: number), session: .kettle, taskIdentifier: number, title: title,
      url: "https://example.org/files/\(number)", state: state, createdAt: time(seconds: -3600))
    change(&row)
    return row
  }

  static let rows: [TransferSnapshot] = [
    row(1, titled: "Networking Overview", state: .running) {
      $0.bytesReceived = 402 * mebibyte + 4_000_000
      $0.bytesExpected = 659 * mebibyte
      $0.bytesPerSecond = 12_687_770
      $0.secondsLeft = 21
      $0.connections = 4
    },
    row(2, titled: "iOS Technology Overview", state: .paused) {
      $0.bytesReceived = 6 * mebibyte + 700_000
      $0.bytesExpected = 29 * mebibyte
    },
    row(3, titled: "Archive of 2025", state: .waiting) {
      $0.bytesReceived = 40
      $0.bytesExpected = 1_288_490_188
      $0.reason = .retry
      $0.goesOnAt = time(seconds: 12)
      $0.error = TransferFailure(
        .httpStatus, on: "https://example.org/files/3", detail: "503 Service Unavailable")
    },
    row(4, titled: "AV Foundation Guide", state: .completed) {
      $0.bytesReceived = 11 * mebibyte
      $0.bytesExpected = 11 * mebibyte
      $0.path = "/home/me/Downloads/AVFoundation.pdf"
      $0.finishedAt = time(seconds: 7320)
    },
    row(5, titled: "A stream without a length", state: .running) {
      $0.bytesReceived = 5 * mebibyte
      $0.bytesPerSecond = 512_000
      $0.connections = 1
    },
    row(6, titled: "Offline", state: .waiting) {
      $0.reason = .network
      $0.bytesReceived = 3 * mebibyte
      $0.bytesExpected = 9 * mebibyte
    },
    row(7, titled: "Members only", state: .waiting) {
      $0.reason = .needsLogin
      $0.error = TransferFailure(.loginNeeded, on: "https://example.org/files/7")
    },
    row(8, titled: "Next in line", state: .queued) {
      var heldBack = HeldBack(.hostLimit, subject: "example.org")
      (heldBack.rank, heldBack.used, heldBack.allowed) = (1, 2, 2)
      $0.heldBack = heldBack
      $0.readyAt = time(seconds: 3000)
    },
    row(9, titled: "At night", state: .scheduled) { $0.goesOnAt = time(seconds: 6 * 3600) },
    row(10, titled: "At Christmas", state: .scheduled) { $0.goesOnAt = time(seconds: 33 * 86_400) },
    row(11, titled: "Gone", state: .failed) {
      $0.error = TransferFailure(.hostNotFound, on: "nowhere.example")
      $0.bytesReceived = mebibyte
      $0.bytesExpected = 4 * mebibyte
    },
    row(12, titled: "Checksummed", state: .verifying) {
      $0.bytesReceived = 700 * mebibyte
      $0.bytesExpected = 700 * mebibyte
    },
    row(13, titled: "Stopped", state: .idle) { $0.path = "/home/me/Downloads/Stopped" },
    row(14, titled: "New", state: .idle),
    row(15, titled: "文件传输指南 🚀 第二版", state: .running) {
      $0.bytesReceived = 100
      $0.bytesExpected = 1000
      $0.bytesPerSecond = 10
      $0.secondsLeft = 90
      $0.connections = 1
    },
  ]

  /// A web page that arrived in place of a file.
  static let pageInstead = row(7, titled: "ubuntu-24.04.iso", state: .waiting) {
    $0.reason = .needsDecision
    $0.error = TransferFailure(.webPage, on: "https://example.org/files/7", detail: "Sign in")
  }

  /// A transfer whose link is dead, and the page that it came from.
  static let deadLink = row(7, titled: "ubuntu-24.04.iso", state: .waiting) {
    $0.reason = .needsLink
    $0.error = TransferFailure(
      .linkExpired, on: "https://example.org/files/7", detail: "410 Gone")
    $0.bytesReceived = 2 << 30
    $0.bytesExpected = 5 << 30
    $0.page = "https://example.org/downloads/ubuntu?visit=7f3a"
  }

  /// A transfer from a server with a self-signed certificate.
  static let untrusted = row(7, titled: "backup.tar", state: .waiting) {
    $0.url = "https://nas.local/backup.tar"
    $0.reason = .needsDecision
    var failure = TransferFailure(.tlsRefused, on: "nas.local", detail: "self-signed certificate")
    var certificate = ServerCertificate(
      origin: "https://nas.local",
      fingerprint: String(repeating: "0f1e2d3c4b5a6978", count: 4),
      key: String(repeating: "ab", count: 32), subject: "nas.local", issuer: "nas.local")
    certificate.validFrom = time(seconds: -86_400)
    certificate.validUntil = time(seconds: 365 * 86_400)
    failure.certificate = certificate
    $0.error = failure
  }

  static var totals: Totals { totals(of: rows) }

  static func totals(of rows: [TransferSnapshot]) -> Totals {
    var totals = Totals()
    for row in rows {
      totals.counts[row.state, default: 0] += 1
      totals.bytesPerSecond += row.bytesPerSecond
    }
    totals.freeBytes = 182 << 30
    totals.batch = batch(of: rows)
    return totals
  }

  /// Computes the batch like the service, for rows that have not finished before; as if those of
  /// unknown size had none.
  private static func batch(of rows: [TransferSnapshot]) -> BatchProgress? {
    let states: Set<TransferState> = [.running, .queued, .waiting, .verifying]
    let rows = rows.filter { states.contains($0.state) }
    guard !rows.isEmpty else { return nil }
    let sized = rows.filter { $0.bytesExpected != nil }
    return BatchProgress(
      transferCount: rows.count, finishedCount: 0,
      bytesReceived: sized.reduce(0) { $0 + $1.bytesReceived },
      bytesExpected: sized.reduce(0) { $0 + ($1.bytesExpected ?? 0) },
      unknownSizeCount: 0,
      secondsLeft: rows.lazy.compactMap(\.secondsLeft).max())
  }

  static let details: TransferDetails = {
    var details = TransferDetails(snapshot: rows[0])
    details.snapshot.path = "/home/me/Downloads/Networking.pdf"
    details.snapshot.freshStart = .resourceChanged
    details.currentURL =
      "https://cdn.example.org/abc/Networking.pdf?token=very-long-token-"
      + String(repeating: "0123456789", count: 8)
    details.partialPath = "/home/me/Downloads/Networking.pdf.part"
    details.held = ByteRangeSet(prefix: 300 * mebibyte)
    if let range = ByteRange(lower: 400 * mebibyte, upper: 502 * mebibyte) {
      details.held.insert(range)
    }
    details.entityTag = "\"5f-1a\""
    details.status = 206
    details.headers = [
      HeaderField(received: "Content-Type", "application/pdf"),
      HeaderField(received: "Server", "nginx"),
    ]
    details.retryCount = 2
    details.directory = "/home/me/Downloads"
    details.redirects = [
      "https://example.org/mirror/1", details.currentURL ?? "",
    ]
    details.liveConnections = [
      .init(
        lower: 300 * mebibyte, upper: 400 * mebibyte, receivedUpTo: 320 * mebibyte,
        bytesPerSecond: 6_000_000, url: "https://cdn.example.org/abc/Networking.pdf"),
      .init(
        lower: 502 * mebibyte, upper: 659 * mebibyte, receivedUpTo: 502 * mebibyte,
        bytesPerSecond: 6_687_770, url: "https://cdn.example.org/abc/Networking.pdf"),
      .init(
        lower: nil, upper: nil, receivedUpTo: 0, bytesPerSecond: 0,
        url: "https://cdn.example.org/abc/Networking.pdf"),
    ]
    details.checksum = "sha256:" + String(repeating: "0a", count: 32)
    details.recentSpeeds = (0..<90).map { second in
      second < 30 ? second * 400_000 : second < 40 ? 0 : 12_000_000 + (second % 7) * 200_000
    }
    details.snapshot.limitBytesPerSecond = 20 << 20
    details.history = [
      .init(at: time(seconds: -60), .queued),
      .init(at: time(seconds: -59), .running(fromZero: nil)),
    ]
    return details
  }()

  static let bin: [BinSnapshot] = [
    BinSnapshot(
      BinAction(number: 7, kind: .stop, at: time(seconds: -60)), transferCount: 1,
      byteCount: 514 << 20, title: "debian-12.iso"),
    BinSnapshot(
      BinAction(number: 6, kind: .remove, at: time(seconds: -120)), transferCount: 10,
      byteCount: 0, title: "Archive"),
    BinSnapshot(BinAction(number: 5, kind: .clear, at: time(seconds: -400))),
  ]

  static func model(
    columns: Int, rows: Int, showing list: [TransferSnapshot] = Sample.rows,
    settings: DashboardSettings = DashboardSettings()
  ) -> Dashboard {
    var model = Dashboard(size: ScreenSize(columns: columns, rows: rows), settings: settings)
    _ = model.update(.linkChanged(.connected), at: now)
    let window = ListWindow(first: 0, matchingCount: list.count, rows: list)
    _ = model.update(.rowsArrived(window, totals(of: list)), at: now)
    return model
  }
}
