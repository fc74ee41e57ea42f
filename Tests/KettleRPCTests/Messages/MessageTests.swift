import KettleModel
import Testing

@testable import KettleRPC

/// Calls and replies over JSON.
struct MessageTests {
  private func message(_ text: String) -> JSONMessage { JSONMessage(Array(text.utf8)) }

  private func reply(
    _ text: String, _ results: Result<RPCValue, RPCError>...
  ) -> (text: String, status: Int) {
    let reply = JSONReply(to: message(text), results)
    return (String(decoding: JSONWriter.bytes(reply.value), as: UTF8.self), reply.httpStatus)
  }

  @Test func `a call has an id, a method and parameters`() {
    #expect(
      message(#"{"jsonrpc":"2.0","id":"q","method":"m","params":[1]}"#)
        == .single(
          .init(id: "q", call: .success(RPCCall(method: "m", params: [.integer(1)])))))
    #expect(
      message(#"{"id":null,"method":"m"}"#)
        == .single(.init(id: .null, call: .success(RPCCall(method: "m", params: [])))))
  }

  @Test(arguments: [
    ("{", RPCError.notJSON), ("7", .invalidRequest), ("{\"method\":\"m\"}", .invalidRequest),
    ("{\"id\":1}", .invalidRequest), ("{\"id\":1,\"method\":2}", .invalidRequest),
    ("{\"id\":1,\"method\":\"m\",\"params\":{}}", .invalidParams),
    ("{\"id\":1,\"method\":\"m\",\"params\":null}", .invalidParams),
  ])
  func `what is no call is refused`(text: String, error: RPCError) {
    guard case .single(let entry) = message(text) else {
      Issue.record("\(text) is a batch")
      return
    }
    #expect(entry.call == .failure(error))
  }

  @Test func `a batch drops what is no object`() {
    #expect(message("[]") == .batch([]))
    guard case .batch(let entries) = message(#"[1,{"id":1,"method":"a"},"x",{"id":2}]"#) else {
      Issue.record("no batch")
      return
    }
    #expect(entries.map(\.id) == [.integer(1), .integer(2)])
  }

  @Test func `a reply repeats the id with its type`() {
    #expect(reply(#"{"id":7,"method":"m"}"#, .success("OK")).text.contains("\"id\":7,"))
    #expect(reply(#"{"id":"7","method":"m"}"#, .success("OK")).text.contains("\"id\":\"7\","))
    #expect(reply(#"{"id":null,"method":"m"}"#, .success("OK")).text.contains("\"id\":null,"))
  }

  @Test func `an error has the status that clients look at`() {
    let refused = reply(#"{"id":1,"method":"m"}"#, .failure(.unauthorized))
    #expect(
      refused.text
        == #"{"error":{"code":1,"message":"Unauthorized"},"id":1,"jsonrpc":"2.0"}"#)
    #expect(refused.status == 400)
    #expect(reply("{", .failure(.notJSON)).status == 500)
    #expect(reply(#"{"id":1}"#, .failure(.invalidRequest)).status == 400)
    #expect(reply(#"[{"id":1,"method":"m"}]"#, .failure(.unauthorized)).status == 200)
    #expect(reply("[]").text == "[]")
  }

  @Test func `the secret is the first parameter if it is marked as one`() {
    var call = RPCCall(method: "m", params: ["token:a:b", "x"])
    #expect(call.takeToken() == "a:b")
    #expect(call.params == ["x"])
    #expect(call.takeToken() == nil)
    #expect(call.params == ["x"])
  }

  @Test func `calls within a multicall are refused one by one`() throws {
    let inner = try RPCCall.inner([
      [
        ["methodName": "a", "params": ["x"]], ["methodName": "b"],
        ["methodName": "system.multicall", "params": [[]]], ["params": []],
        ["methodName": "c", "params": "x"],
      ]
    ])
    #expect(inner[0] == .success(RPCCall(method: "a", params: ["x"])))
    #expect(inner[1] == .success(RPCCall(method: "b", params: [])))
    #expect(inner[2...].allSatisfy { if case .failure = $0 { true } else { false } })
    #expect(throws: RPCError.self) { try RPCCall.inner(["x"]) }
  }
}

/// Calls in the query of a GET request.
struct QueryMessageTests {
  private func encoded(_ json: String) -> String {
    Base64Bytes(Array(json.utf8)).text.replacing("=", with: "%3D").replacing("+", with: "%2B")
  }

  @Test func `a call has its parameters in Base64`() {
    let query = QueryMessage(
      "jsonrpc=2.0&method=aria2.tellStatus&id=q%201&params=" + encoded(#"["token:x","é"]"#))
    let call = RPCCall(method: "aria2.tellStatus", params: ["token:x", "é"])
    #expect(query.message == .single(.init(id: "q 1", call: .success(call))))
    #expect(query.callback == nil)
  }

  @Test func `parameters alone are a batch`() {
    let query = QueryMessage("params=" + encoded(#"[{"id":1,"method":"m"}]"#))
    #expect(
      query.message
        == .batch([.init(id: .integer(1), call: .success(RPCCall(method: "m", params: [])))]))
  }

  @Test func `padding may be missing`() {
    let query = QueryMessage("method=m&id=1&params=WyJhIl0")
    #expect(
      query.message == .single(.init(id: "1", call: .success(RPCCall(method: "m", params: ["a"])))))
  }

  @Test(arguments: ["", "id=1", "method=m&id=1&params=%%%", "method=m&id=1&params=e30="])
  func `anything else is refused`(text: String) {
    guard case .single(let entry) = QueryMessage(text).message, case .failure = entry.call else {
      Issue.record("\(text) was accepted")
      return
    }
  }

  @Test func `only the name of a function is a callback`() {
    #expect(QueryMessage("method=m&id=1&jsoncallback=a.b_$1").callback == "a.b_$1")
    #expect(QueryMessage("method=m&id=1&jsoncallback=alert(1)//").callback == nil)
    #expect(QueryMessage("method=m&id=1&jsoncallback=").callback == nil)
  }
}
