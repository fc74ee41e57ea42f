import CKettleLinux
import Foundation
import Glibc
import Testing

/// Many clients of the real service that never read.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct SilentClientsTests {
  private let home: KettleHome

  init() throws { home = try KettleHome() }

  // Fault 118
  @Test func `clients that never read use bounded memory and block no other client`() async throws {
    let service = try await ChildService(home)
    let person = try ControlLine(home)
    let urls = (0..<300).map { "\"http://127.0.0.1:1/\($0)\"" }.joined(separator: ",")
    _ = try person.ask(
      "transfers.addURLs", #"{"template":{"beginning":"paused"},"urls":[\#(urls)]}"#)
    let before = try Self.residentKilobytes(of: service.processID)
    var silent: [ControlLine] = []
    for _ in 0..<240 {
      let client = try ControlLine(home)
      // Reads this reply, because the service handles each connection by itself: a client whose
      // request came after the events would miss none.
      _ = try client.ask(
        "events.watch", #"{"includesProgress":true,"resynchronises":true}"#)
      try client.send(
        "viewport.subscribe",
        #"{"filter":{},"sort":{"key":"queue","isDescending":false},"first":0,"count":50}"#)
      silent.append(client)
    }
    // Each causes an event for every transfer and every client.
    for round in 0..<20 {
      let priority = round % 2 == 0 ? "0.25" : "0.75"
      _ = try person.ask(
        "transfers.prioritize",
        #"{"priority":{"value":\#(priority)},"selection":{"all":true}}"#)
    }
    let reply = try person.ask("transfers.control", #"{"control":"start","selection":{"ids":[1]}}"#)
    #expect(reply.contains("\"applied\":[1]"))
    let growth = try Self.residentKilobytes(of: service.processID) - before
    #expect(growth < 256 << 10, "\(growth) KiB")
    // No client was dropped. The shared 48 MiB hold all 6,000 events of at most 13 clients, because
    // each event counts 640 bytes and its text. The others must resynchronise.
    let resynchronise = #""method":"resynchronise""#
    let last = try silent.prefix(20).map { client in
      try client.firstLine {
        $0.contains(resynchronise)
          || $0.contains(#""method":"event""#) && $0.contains(#""state":"running""#)
      }
    }
    #expect(last.count { $0.contains(resynchronise) } >= 7)
    for client in silent { client.close() }
    service.send(SIGTERM)
    #expect(await service.end().status == 0)
  }

  // Fault 117
  @Test func `a command reports that too many connections are open`() async throws {
    let service = try await ChildService(home)
    let clients = (0..<256).map { _ in SilentClient(home) }
    // The last of them is accepted before the command.
    let outcome = try await home.kettle("list")
    #expect(outcome.code == 3)
    #expect(
      outcome.errors
        == "kettle: The service has 256 open connections and accepts no more; close some of them, "
        + "for example dashboards and \"kettle watch\", and try again\n")
    for client in clients { client.hangUp() }
    service.send(SIGTERM)
    #expect(await service.end().status == 0)
    let log = try String(
      contentsOfFile: home.path + "/.local/state/kettle/service.log", encoding: .utf8)
    #expect(log.contains("A client was dropped"))
    #expect(log.contains("reason=256 connections are open"))
  }

  private static func residentKilobytes(of processID: pid_t) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(processID)/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM") })
    return try #require(line.split(separator: " ").compactMap { Int($0) }.first)
  }
}
