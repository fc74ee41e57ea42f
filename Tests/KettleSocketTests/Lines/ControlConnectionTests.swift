import KettleSocket
import KettleStarter
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ControlConnectionTests {
  private func lines(
    _ connection: ControlConnection
  ) async throws(ControlSocketError) -> [String] {
    var lines: [String] = []
    for try await line in connection.lines { lines.append(text(line)) }
    return lines
  }

  @Test func `lines arrive in order in both directions, and the end is detected`() async throws {
    let world = try SocketWorld()
    let listener = try await world.listener()
    let (client, service) = try await world.pair(listener)
    for number in 0..<200 {
      try await client.send(bytes("request \(number)"))
      try await service.send(bytes("reply \(number)"))
    }
    await client.close()
    #expect(try await lines(service) == (0..<200).map { "request \($0)" })
    await service.close()
    await #expect(throws: ControlSocketError.closed) { try await service.send(bytes("late")) }
    await listener.close()
  }

  @Test func `a client that finished sending still gets its replies`() async throws {
    let world = try SocketWorld()
    let listener = try await world.listener()
    let raw = try RawSocket(world.socketPath)
    raw.send("one\ntwo\n")
    raw.finishSending()
    for await service in listener.connections {
      for try await line in service.lines { try await service.send(line + bytes("!")) }
      await service.close()
      break
    }
    #expect(raw.readToEnd() == "one!\ntwo!\n")
    raw.end()
    await listener.close()
  }

  @Test func `lines sent together arrive as lines in order`() async throws {
    let world = try SocketWorld()
    let listener = try await world.listener()
    let raw = try RawSocket(world.socketPath)
    for await service in listener.connections {
      try await service.send(lines: [bytes("one"), [], bytes("three")])
      await service.close()
      break
    }
    #expect(raw.readToEnd() == "one\n\nthree\n")
    raw.end()
    await listener.close()
  }

  // Fault 119
  @Test func `an unfinished line before a hang-up is discarded`() async throws {
    let world = try SocketWorld()
    let listener = try await world.listener()
    let raw = try RawSocket(world.socketPath)
    raw.send("whole\nha")
    raw.end()
    for await service in listener.connections {
      #expect(try await lines(service) == ["whole"])
      break
    }
    await listener.close()
  }

  // Fault 117
  @Test func `an unfinished line closes the connection after the time budget`() async throws {
    let world = try SocketWorld()
    let listener = try await world.listener(
      limits: .init(partialLineBudget: .milliseconds(100)))
    let stalled = try RawSocket(world.socketPath)
    stalled.send("whole\nha")
    for await service in listener.connections {
      await #expect(throws: ControlSocketError.lineNotFinished) { try await lines(service) }
      break
    }
    #expect(stalled.readToEnd() == "")
    stalled.end()
    await listener.close()
  }

  @Test func `silence between two lines is allowed`() async throws {
    let world = try SocketWorld()
    let listener = try await world.listener(limits: .init(partialLineBudget: .milliseconds(50)))
    let idle = try await world.pair(listener)
    try await idle.client.send(bytes("first"))
    // When the other one is closed, the idle one has been silent for longer than the budget.
    let stalled = try RawSocket(world.socketPath)
    stalled.send("ha")
    #expect(stalled.readToEnd() == "")
    stalled.end()
    try await idle.client.send(bytes("second"))
    await idle.client.close()
    #expect(try await lines(idle.service) == ["first", "second"])
    await listener.close()
  }

  // Fault 116
  @Test func `a line over the maximum is refused, and the client can be sent an error`()
    async throws
  {
    let world = try SocketWorld()
    let listener = try await world.listener(limits: .init(lineByteCountMax: 1000))
    let (client, service) = try await world.pair(listener)
    let sending = Task {
      try await client.send(bytes("before"))
      try await client.send([UInt8](repeating: UInt8(ascii: " "), count: 100_000_000))
    }
    var seen: [String] = []
    await #expect(throws: ControlSocketError.lineTooLong(byteCountMax: 1000)) {
      for try await line in service.lines { seen.append(text(line)) }
    }
    #expect(seen == ["before"])
    try await service.send(bytes("too long"))
    for try await line in client.lines {
      #expect(text(line) == "too long")
      break
    }
    await service.close()
    await #expect(throws: ControlSocketError.closed) { try await sending.value }
    await listener.close()
  }

  // Fault 118
  @Test func `a sender runs ahead of a slow reader by a bounded amount and loses nothing`()
    async throws
  {
    let world = try SocketWorld()
    let listener = try await world.listener()
    let (client, service) = try await world.pair(listener)
    let sentCount = Atomic(0)
    let padding = String(repeating: "x", count: 65_536)
    async let sending: Void = {
      for number in 0..<300 {
        try await client.send(bytes("\(number) \(padding)"))
        sentCount.add(1, ordering: .relaxed)
      }
      await client.close()
    }()
    var readCount = 0
    for try await line in service.lines {
      #expect(text(line).hasPrefix("\(readCount) "))
      readCount += 1
      // The kernel's buffer, one read and the lines that are kept: less than 3 MB.
      #expect(sentCount.load(ordering: .relaxed) - readCount < 40)
    }
    try await sending
    #expect(readCount == 300)
    await listener.close()
  }

  // Fault 118
  @Test func `a stopped reader delays no other client and is dropped`() async throws {
    let world = try SocketWorld()
    let listener = try await world.listener()
    let stopped = try await world.pair(listener)
    let busy = try await world.pair(listener)
    let sending = Task {
      while true { try await stopped.service.send([UInt8](repeating: 65, count: 1_000_000)) }
    }
    async let received = lines(busy.client)
    for number in 0..<500 { try await busy.service.send(bytes("\(number)")) }
    await busy.service.close()
    #expect(try await received == (0..<500).map(String.init))
    await stopped.service.close()
    await #expect(throws: ControlSocketError.closed) { try await sending.value }
    await listener.close()
  }

  @Test func `a hundred concurrent clients each get their own replies`() async throws {
    let world = try SocketWorld()
    let listener = try await world.listener()
    let serving = Task {
      await withTaskGroup(of: Void.self) { group in
        for await connection in listener.connections {
          group.addTask {
            do {
              for try await line in connection.lines { try await connection.send(line) }
            } catch { Issue.record("\(error)") }
            await connection.close()
          }
        }
      }
    }
    let path = world.socketPath
    try await withThrowingTaskGroup(of: Int.self) { group in
      for client in 0..<100 {
        group.addTask {
          let connection = try await ControlConnection.connect(to: path)
          for round in 0..<10 { try await connection.send(bytes("\(client) \(round)")) }
          var round = 0
          for try await line in connection.lines {
            #expect(text(line) == "\(client) \(round)")
            round += 1
            if round == 10 { break }
          }
          await connection.close()
          return round
        }
      }
      for try await count in group { #expect(count == 10) }
    }
    await listener.close()
    await serving.value
  }

  @Test func `a released connection is closed`() async throws {
    let world = try SocketWorld()
    let listener = try await world.listener()
    let raw = try RawSocket(world.socketPath)
    for await _ in listener.connections { break }
    #expect(raw.readToEnd() == "")
    raw.end()
    await listener.close()
  }

  @Test func `a deadline closes the connection unless it is cancelled`() async throws {
    let world = try SocketWorld()
    let listener = try await world.listener()
    let kept = try await world.pair(listener)
    let closed = try await world.pair(listener)
    kept.client.close(after: .milliseconds(20)).cancel()
    _ = closed.client.close(after: .milliseconds(40))
    #expect(try await lines(closed.service) == [])
    try await kept.client.send(bytes("alive"))
    await kept.client.close()
    #expect(try await lines(kept.service) == ["alive"])
    await listener.close()
  }
}
