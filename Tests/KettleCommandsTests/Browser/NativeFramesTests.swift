import Testing

@testable import KettleCommands

struct NativeFramesTests {
  private let message = Array("{\"method\":\"hello\"}".utf8)

  private func frame(_ message: [UInt8]) throws -> [UInt8] {
    try #require(NativeFrames.frame(message))
  }

  @Test func `the length is in the machine's byte order`() throws {
    let length = withUnsafeBytes(of: UInt32(message.count)) { Array($0) }
    #expect(try frame(message) == length + message)
  }

  @Test func `messages are the same however they are split`() throws {
    let input = try frame(message) + frame([]) + frame(Array("[1]".utf8))
    for split in 0...input.count {
      var frames = NativeFrames()
      var messages: [[UInt8]] = []
      for piece in [Array(input[..<split]), Array(input[split...])] {
        frames.append(piece.span)
        while let message = try frames.next() { messages.append(message) }
      }
      #expect(messages == [message, [], Array("[1]".utf8)], "split at \(split)")
      try frames.end()
    }
  }

  @Test func `the end within a message is noticed`() throws {
    let input = try frame(message)
    for count in 1..<input.count {
      var frames = NativeFrames()
      frames.append(Array(input.prefix(count)).span)
      #expect(try frames.next() == nil)
      #expect(!frames.isReady)
      #expect(throws: NativeFrames.Problem.truncated) { try frames.end() }
    }
  }

  @Test func `a message that is too long is refused before it arrives`() throws {
    for count in [NativeFrames.receivedByteCountMax + 1, Int(UInt32.max)] {
      var frames = NativeFrames()
      let length = withUnsafeBytes(of: UInt32(count)) { Array($0) }
      frames.append(length.span)
      #expect(frames.isReady)
      #expect(throws: NativeFrames.Problem.tooLong(byteCount: count)) { try frames.next() }
    }
    var frames = NativeFrames()
    let longest = [UInt8](repeating: 32, count: NativeFrames.receivedByteCountMax)
    let framed = try frame(longest)
    frames.append(framed.span)
    #expect(try frames.next() == longest)
  }

  @Test func `nothing is sent that a browser would refuse`() {
    let longest = [UInt8](repeating: 32, count: NativeFrames.sentByteCountMax)
    #expect(NativeFrames.frame(longest) != nil)
    #expect(NativeFrames.frame(longest + [32]) == nil)
  }
}
