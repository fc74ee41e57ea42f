/// Shows alerts on the user's desktop (Desktop Notifications Specification 1.2).
///
/// A service outlives logins, so each alert opens a new connection to the bus address in the
/// environment. Without a bus there is no desktop to notify.
package struct DesktopNotifier: Sendable {
  private static let name = "org.freedesktop.Notifications"
  private static let path = "/org/freedesktop/Notifications"

  private let addresses: [BusAddress]
  private let timeout: Duration

  package init(_ addresses: [BusAddress], timeout: Duration = .seconds(10)) {
    self.addresses = addresses
    self.timeout = timeout
  }

  /// Returns once the desktop has accepted the alert.
  package func show(_ alert: Alert) async throws(BusError) {
    let connection = try await BusConnection.open(addresses, timeout: timeout) { _ in }
    defer { connection.close() }
    let body = await interpretsMarkup(connection) ? Self.escaped(alert.body) : alert.body
    _ = try await connection.call(
      Self.call("Notify", Self.arguments(alert, body)), timeout: timeout)
  }

  /// A desktop that does not answer is assumed to interpret markup: the text must not become
  /// markup.
  private func interpretsMarkup(_ connection: BusConnection) async -> Bool {
    let reply = try? await connection.call(Self.call("GetCapabilities"), timeout: timeout)
    guard case .array(_, let capabilities)? = reply?.first else { return true }
    return capabilities.contains(.string("body-markup"))
  }

  private static func call(_ method: String, _ arguments: [BusValue] = []) -> BusCall {
    BusCall(method, of: name, on: name, at: path, arguments)
  }

  /// No `desktop-entry` hint: some desktops remove a program's alerts when its connection ends, and
  /// the hint would identify the program.
  private static func arguments(_ alert: Alert, _ body: String) -> [BusValue] {
    let category =
      switch alert.kind {
      case .finished: "transfer.complete"
      case .trouble: "transfer.error"
      }
    let hints: [BusValue] = [
      .entry(key: .string("category"), value: .variant(.string(category)))
    ]
    return [
      .string("Kettle"), .uint32(0), .string("folder-download"), .string(alert.summary),
      .string(body), .array(of: .string, []), .array(of: .entry(.string, .variant), hints),
      // The desktop's default display time.
      .int32(-1),
    ]
  }

  /// Escapes XML: the body may have markup, and a file name can contain anything. By scalars,
  /// because a "<" with an accent is another character, and still the start of a tag.
  static func escaped(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&apos;"
      default: result.unicodeScalars.append(scalar)
      }
    }
  }
}
