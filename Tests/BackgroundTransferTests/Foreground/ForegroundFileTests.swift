import BackgroundTransfer
import Foundation
import TestSupport
import Testing

/// Downloads to files, and uploads.
struct ForegroundFileTests {
  private static func temporaryFile(_ content: String) throws -> URL {
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try Data(content.utf8).write(to: file)
    return file
  }

  @Test func `a download passes its file to the delegate, which has it until it returns`()
    async throws
  {
    let world = try ForegroundWorld()
    let task = world.session.downloadTask(with: try world.url("/hello"))
    let updates = task.progressUpdates
    task.resume()
    var newest: TransferProgress?
    for await progress in updates { newest = progress }
    #expect(newest?.completedByteCount == 11)
    #expect(newest?.totalByteCount == 11)
    #expect(
      await world.listener.calls(until: "completed") == [
        "wrote 11 of 11", "file", "completed completed 0",
      ])
    #expect(world.listener.fileContent == Data("hello world".utf8))
    let file = try #require(world.listener.file)
    #expect(!FileManager.default.fileExists(atPath: file.path))
    #expect((task.response as? HTTPURLResponse)?.statusCode == 200)
    #expect(task.countOfBytesReceived == 11)
  }

  @Test func `the file of a completion handler exists until it returns`() async throws {
    let world = try ForegroundWorld()
    let url = try world.url("/hello")
    let (file, content) = await withCheckedContinuation { continuation in
      world.session.downloadTask(with: url) { file, _, _ in
        let content = file.flatMap { try? Data(contentsOf: $0) }
        continuation.resume(returning: (file, content))
      }.resume()
    }
    #expect(content == Data("hello world".utf8))
    // The queue is serial: the handler has returned.
    await withCheckedContinuation { continuation in
      world.session.delegateQueue.addOperation { continuation.resume() }
    }
    #expect(!FileManager.default.fileExists(atPath: try #require(file).path))
  }

  @Test func `the file of an awaited download stays`() async throws {
    let world = try ForegroundWorld()
    let body = SeededBody(seed: 7, byteCount: 200_000)
    world.origin.serve(OriginBehavior(body), at: "/file")
    let (file, response) = try await world.session.download(from: try world.url("/file"))
    defer { try? FileManager.default.removeItem(at: file) }
    #expect(try Data(contentsOf: file) == Data(body.bytes))
    #expect(response.expectedContentLength == 200_000)
  }

  @Test func `an upload from memory reports what is sent, and the response`() async throws {
    let world = try ForegroundWorld()
    world.origin.serve(.status(201, text: "kept"), at: "/in")
    let task = world.session.uploadTask(
      with: try world.request("/in", "POST"), from: Data("hello".utf8))
    task.resume()
    #expect(
      await world.listener.calls(until: "completed") == [
        "sent 5 of 5", "response 201", "data 4", "completed completed 0",
      ])
    let received = try await world.origin.waitForRequests()
    #expect(String(decoding: received.body, as: UTF8.self) == "hello")
    #expect(task.countOfBytesSent == 5)
    #expect(task.countOfBytesExpectedToSend == 5)
  }

  @Test func `uploads with handlers and awaited ones receive the response`() async throws {
    let world = try ForegroundWorld()
    world.origin.serve(.status(201, text: "kept"), at: "/in")
    let request = try world.request("/in", "PUT")
    let file = try Self.temporaryFile("from a file")
    defer { try? FileManager.default.removeItem(at: file) }
    let reply = await withCheckedContinuation { continuation in
      world.session.uploadTask(with: request, from: Data("by handler".utf8)) { data, _, _ in
        continuation.resume(returning: data)
      }.resume()
    }
    #expect(reply == Data("kept".utf8))
    let (memory, _) = try await world.session.upload(for: request, from: Data("awaited".utf8))
    #expect(memory == Data("kept".utf8))
    let (disk, response) = try await world.session.upload(for: request, fromFile: file)
    #expect(disk == Data("kept".utf8))
    #expect((response as? HTTPURLResponse)?.statusCode == 201)
    let bodies = world.origin.requests.map { String(decoding: $0.body, as: UTF8.self) }
    #expect(bodies == ["by handler", "awaited", "from a file"])
  }

  @Test func `an upload of a missing file fails, and so does one of no file`() async throws {
    let world = try ForegroundWorld()
    let request = try world.request("/in", "PUT")
    for url in [URL(fileURLWithPath: "/nonexistent/b"), try world.url("/hello")] {
      let error = await #expect(throws: URLError.self) {
        try await world.session.upload(for: request, fromFile: url)
      }
      #expect(error?.code == .fileDoesNotExist)
    }
    #expect(world.origin.requests.isEmpty)
  }

  @Test func `a streamed upload gets its body from the delegate`() async throws {
    let world = try ForegroundWorld {
      $0.stream = { InputStream(data: Data("from a stream".utf8)) }
    }
    world.origin.serve(.status(200), at: "/in")
    var request = try world.request("/in", "POST")
    // FoundationNetworking sends chunks; this makes the origin read them, as they are.
    request.setValue("23", forHTTPHeaderField: "Content-Length")
    world.session.uploadTask(withStreamedRequest: request).resume()
    let calls = await world.listener.calls(until: "completed")
    #expect(calls.first == "stream")
    #expect(calls.last == "completed completed 0")
    let received = try await world.origin.waitForRequests()
    #expect(String(decoding: received.body, as: UTF8.self) == "d\r\nfrom a stream\r\n0\r\n\r\n")
  }

  @Test func `what only background sessions do fails elsewhere`() async throws {
    let world = try ForegroundWorld()
    let place = URL(fileURLWithPath: "/nonexistent/file")
    let task = world.session.downloadTask(with: try world.url("/hello"), to: place)
    #expect(task.taskIdentifier < 0)
    task.resume()
    #expect(await world.listener.calls(until: "completed") == ["completed completed -1"])
    #expect(task.error?.localizedDescription.contains("background(withIdentifier:)") == true)
    await #expect(throws: URLError.self) {
      try await world.session.download(from: try world.url("/hello"), to: place)
    }
    let resumed = world.session.downloadTask(withResumeData: Data("anything".utf8))
    resumed.resume()
    #expect(await world.listener.calls(until: "completed").last == "completed completed -1002")
    #expect(world.origin.requests.isEmpty)
  }
}
