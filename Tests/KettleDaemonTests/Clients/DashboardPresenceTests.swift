import Foundation
import KettleModel
import KettleSystem
import Testing

@testable import KettleDaemon

final class DashboardPresenceTests: Sendable {
  private let directory: String
  private var path: String { directory + "/watched" }
  private let milliseconds = Mutex<Int64>(0)

  init() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    directory = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  private func time(_ milliseconds: Int64) -> WallTime {
    WallTime(millisecondsSince1970: 1_800_000_000_000 + milliseconds)
  }

  /// A service that starts with this file.
  private func presence(_ path: String) -> DashboardPresence {
    DashboardPresence(path: path) { [self] in time(milliseconds.withLock { $0 }) }
  }

  private func set(_ now: Int64) { milliseconds.withLock { $0 = now } }

  private func id(_ number: UInt64) -> ClientID { ClientID(rawValue: number) }

  @Test func `the time is that of the last dashboard that left`() {
    let presence = presence(path)
    #expect(presence.enter(id(1)) == nil)
    set(10)
    // Another one is open.
    #expect(presence.enter(id(2)) == nil)
    #expect(presence.enter(id(2)) == nil)
    presence.leave(id(1))
    set(25)
    presence.leave(id(2))
    presence.leave(id(2))
    set(40)
    // A command, which is no dashboard.
    presence.leave(id(3))
    #expect(presence.enter(id(4)) == time(25))
    presence.leave(id(4))
    #expect(presence.enter(id(5)) == time(40))
  }

  @Test func `the time survives the service, and a kill of the service`() {
    set(1234)
    let first = presence(path)
    _ = first.enter(id(1))
    set(5678)
    first.leave(id(1))
    let second = presence(path)
    set(9999)
    #expect(second.enter(id(1)) == time(5678))
    // The second service is killed while its dashboard is open.
    set(20_000)
    #expect(presence(path).enter(id(1)) == time(9999))
  }

  @Test func `without a usable file the time is remembered while the service runs`() throws {
    for path in [directory, directory + "/none/watched"] {
      set(7)
      let presence = presence(path)
      #expect(presence.enter(id(1)) == nil, "\(path)")
      presence.leave(id(1))
      #expect(presence.enter(id(2)) == time(7), "\(path)")
    }
    let link = directory + "/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    #expect(presence(link).enter(id(1)) == nil)
    #expect(!FileManager.default.fileExists(atPath: path))
  }
}
