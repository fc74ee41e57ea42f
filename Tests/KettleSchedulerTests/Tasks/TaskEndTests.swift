import KettleModel
import KettleScheduler
import Testing

/// How tasks end and how they are removed.
struct TaskEndTests {
  private let file = FinishedFile(
    path: "/held/a.iso",
    identity: FileIdentity(device: 1, inode: 7, byteCount: 1000, modifiedNanoseconds: 5))

  private func completed(_ spec: TransferSpec = taskSpec()) -> (SchedulerScript, TransferID) {
    var script = SchedulerScript()
    let (id, attempt) = script.flowingTask(spec, durable: 1000)
    script.settled(attempt, .complete, durable: 1000)
    place(id, &script)
    return (script, id)
  }

  private func place(_ id: TransferID, _ script: inout SchedulerScript) {
    guard case .placeFile(id, let operation, _, _)? = script.lastAction else {
      Issue.record("expected the rename, got \(String(describing: script.lastAction))")
      return
    }
    script.handle(.file(id, .placed(.success(file), by: operation)))
  }

  // MARK: Cancelling

  @Test func `a cancelled task keeps its bytes if requested`() {
    var script = SchedulerScript()
    let id = script.failedTask(durable: 400)
    #expect(script.state(id) == .failed)
    #expect(script.record(id)?.failure?.code == .cancelled)
    #expect(script.record(id)?.resumeData?.durable.byteCount == 400)
    #expect(script.record(id)?.finishedAt == script.now.wall)
  }

  @Test func `a cancelled task discards its bytes if they are not to be kept`() {
    var script = SchedulerScript()
    let (id, attempt) = script.flowingTask(durable: 400)
    script.cancel(id, keepsBytes: false)
    script.settled(attempt, .cancelled, durable: 400)
    #expect(script.record(id)?.resumeData != nil)
    script.discards()
    #expect(script.state(id) == .failed)
    #expect(script.record(id)?.failure?.code == .cancelled)
    #expect(script.record(id)?.resumeData == nil)
    #expect(script.record(id)?.finishedAt == script.now.wall)
  }

  @Test func `a task that was never started can be cancelled`() {
    var script = SchedulerScript()
    var spec = taskSpec()
    spec.beginning = .idle
    let id = script.add(spec)
    #expect(script.cancel(id, keepsBytes: false) == .applied)
    #expect(script.record(id)?.failure?.code == .cancelled)
  }

  @Test func `cancelling again has no effect`() {
    var script = SchedulerScript()
    let (id, attempt) = script.flowingTask(durable: 400)
    script.cancel(id, keepsBytes: true)
    script.cancel(id, keepsBytes: false)
    script.settled(attempt, .cancelled, durable: 400)
    script.cancel(id, keepsBytes: false)
    script.discards()
    #expect(script.record(id)?.resumeData?.durable.byteCount == 400)
  }

  @Test func `cancelling does not affect a completed task or one being placed`() {
    var script = SchedulerScript()
    let (id, attempt) = script.flowingTask(durable: 1000)
    script.settled(attempt, .complete, durable: 1000)
    script.cancel(id, keepsBytes: false)
    place(id, &script)
    #expect(script.state(id) == .completed)
    #expect(script.cancel(id, keepsBytes: false) == .refused(.completed))
    #expect(script.record(id)?.finishedFile?.path == file.path)
    #expect(script.record(id)?.finishedFile?.identity == file.identity)
  }

  @Test func `only tasks can be cancelled`() {
    var script = SchedulerScript()
    let id = script.add(spec())
    #expect(script.cancel(id, keepsBytes: false) == .refused(.unknown))
    #expect(script.state(id) == .running)
  }

  @Test func `a task that has ended cannot be started, stopped or reset`() {
    var script = SchedulerScript()
    let id = script.failedTask()
    let before = script.record(id)
    for control: TransferScheduler.Control in [
      .start, .stop, .reset, .relink(url("http://other.example/a"), nil),
    ] {
      #expect(script.control(control, id) == .refused(.completed))
    }
    script.control(.pause, id)
    #expect(script.record(id) == before)
  }

  // MARK: The user's remove

  @Test func `a task removed by the user is first reported as cancelled`() {
    var script = SchedulerScript()
    let (id, attempt) = script.flowingTask(durable: 400)
    script.control(.remove(.stays), id)
    script.control(.remove(.stays), id)
    script.settled(attempt, .cancelled, durable: 400)
    script.discards()
    #expect(script.record(id)?.failure?.detail == "by the user")
    #expect(script.record(id)?.resumeData == nil)
    script.control(.remove(.stays), id)
    #expect(script.record(id) == nil)
  }

  @Test func `a crash during a removal does not restore the bytes`() {
    var script = SchedulerScript()
    let (id, attempt) = script.flowingTask(durable: 400)
    script.control(.remove(.stays), id)
    script.settled(attempt, .cancelled, durable: 400)
    script.restart()
    script.discards()
    #expect(script.record(id)?.failure?.detail == "by the user")
    #expect(script.record(id)?.resumeData == nil)
    #expect(script.discarded.count == 1)
  }

  @Test func `removing a completed task deletes its file`() {
    var (script, id) = completed()
    script.control(.remove(.stays), id)
    script.discards()
    #expect(script.record(id) == nil)
    #expect(script.discarded.map(\.partialPath) == [file.path])
  }

  // MARK: Acknowledging

  @Test func `a completed task and its file are removed once its program has the file`() {
    var (script, id) = completed()
    script.acknowledge(id)
    script.discards()
    #expect(script.record(id) == nil)
    #expect(script.discarded.map(\.partialPath) == [file.path])
    #expect(script.discarded.map(\.inode) == [7])
  }

  @Test func `a crash before a task's file is deleted neither keeps it nor reports the task again`()
  {
    var (script, id) = completed()
    script.acknowledge(id)
    #expect(script.record(id) != nil)
    script.restart()
    #expect(script.scheduler.tasks(of: app).isEmpty)
    script.restart()
    script.discards()
    #expect(script.discarded.map(\.partialPath) == [file.path])
    #expect(script.record(id) == nil)
    script.restart()
    #expect(script.scheduler.machines.isEmpty)
  }

  @Test func `a task whose file is being deleted is neither adopted nor started`() {
    var (script, id) = completed()
    script.acknowledge(id)
    #expect(script.scheduler.adopt(app, at: script.now).ids.isEmpty)
    script.acknowledge(id)
    script.control(.start, id)
    script.control(.remove(.goes), id)
    script.discards()
    #expect(script.record(id) == nil)
    #expect(script.discarded.count == 1)
  }

  @Test func `a file that existed before the task is not deleted`() {
    var script = SchedulerScript()
    let (id, attempt) = script.flowingTask(durable: 1000)
    script.settled(attempt, .complete, durable: 1000)
    if case .placeFile(_, let operation, _, _)? = script.lastAction {
      let there = FinishedFile(path: "/held/a.iso", identity: nil)
      script.handle(.file(id, .placed(.success(there), by: operation)))
    }
    script.acknowledge(id)
    #expect(script.record(id) == nil)
    #expect(script.deletedFiles.isEmpty)
  }

  @Test func `a file in a directory chosen by the program is kept`() {
    var spec = taskSpec()
    spec.directory = "/downloads"
    var (script, id) = completed(spec)
    script.acknowledge(id)
    #expect(script.record(id) == nil)
    #expect(script.deletedFiles.isEmpty)
  }

  @Test func `acknowledging a failed task removes it and its partial file`() {
    var script = SchedulerScript()
    let id = script.failedTask()
    script.acknowledge(id)
    #expect(script.record(id) != nil)
    script.discards()
    #expect(script.record(id) == nil)
    #expect(script.discarded.map(\.inode) == [7])
  }

  @Test func `a crash during the removal of an acknowledged task keeps its reported failure`() {
    var script = SchedulerScript()
    let id = script.failedTask()
    script.acknowledge(id)
    script.restart()
    #expect(script.state(id) == .failed)
    #expect(script.record(id)?.failure?.code == .cancelled)
  }

  @Test func `an unfinished task is not acknowledged`() {
    var script = SchedulerScript()
    let (id, _) = script.flowingTask(durable: 400)
    #expect(script.acknowledge(id, secret: "s") == nil)
    #expect(script.state(id) == .running)
  }

  @Test func `the dashboard's own transfers are not acknowledged`() {
    var script = SchedulerScript()
    let id = script.add(spec())
    script.head(script.attempt ?? AttemptID(rawValue: 0), 404)
    script.settled(script.attempt ?? AttemptID(rawValue: 0), .cancelled)
    #expect(script.state(id) == .failed)
    script.acknowledge(id)
    #expect(script.state(id) == .failed)
  }

  @Test func `acknowledging with a secret keeps the bytes under a token`() {
    var script = SchedulerScript()
    let id = script.failedTask()
    let token = script.acknowledge(id, secret: "s1")
    #expect(token == ResumeToken(id: id, secret: "s1"))
    #expect(script.state(id) == .paused)
    #expect(script.record(id)?.failure == nil)
    #expect(script.scheduler.tasks(of: app).isEmpty)
    // An acknowledgement whose response was lost is sent again.
    #expect(script.acknowledge(id, secret: "s2") == token)
    #expect(script.control(.start, id) == .refused(.completed))
    script.restart()
    #expect(script.record(id)?.task?.resumeToken == token)
    script.control(.remove(.stays), id)
    script.discards()
    #expect(script.record(id) == nil)
  }

  @Test func `making a token does not mark the task as reported`() {
    var script = SchedulerScript()
    let id = script.failedTask()
    let token = script.makeToken(id, secret: "s1")
    #expect(token == ResumeToken(id: id, secret: "s1"))
    #expect(script.makeToken(id, secret: "s2") == token)
    #expect(script.state(id) == .failed)
    #expect(script.scheduler.tasks(of: app).map(\.record.id) == [id])
    script.restart()
    #expect(script.state(id) == .failed)
    #expect(script.record(id)?.failure?.code == .cancelled)
    #expect(script.scheduler.tasks(of: app).map(\.record.id) == [id])
    #expect(script.acknowledge(id, secret: "s3") == token)
    #expect(script.state(id) == .paused)
    #expect(script.scheduler.tasks(of: app).isEmpty)
  }

  @Test func `a task with a token is removed if its program does not keep the bytes`() {
    var script = SchedulerScript()
    let id = script.failedTask()
    script.makeToken(id, secret: "s")
    script.acknowledge(id)
    script.restart()
    #expect(script.state(id) == .failed)
    script.discards()
    script.acknowledge(id)
    #expect(script.record(id) == nil)
  }

  @Test func `an unfinished or unknown task gets no token`() {
    var script = SchedulerScript()
    let (id, _) = script.flowingTask(durable: 400)
    #expect(script.makeToken(id, secret: "s") == nil)
    #expect(script.makeToken(TransferID(rawValue: 99), secret: "s") == nil)
  }

  @Test(arguments: [nil, ""] as [String?])
  func `bytes without a validator get no token`(entityTag: String?) {
    var script = SchedulerScript()
    let id = script.failedTask(entityTag: entityTag)
    #expect(script.acknowledge(id, secret: "s") == nil)
    script.discards()
    #expect(script.record(id) == nil)
  }

  @Test func `a response to anything but a plain GET gets no token`() {
    var script = SchedulerScript()
    var spec = taskSpec()
    spec.request = RequestContent(method: "POST")
    let id = script.failedTask(durable: 400, spec)
    #expect(script.acknowledge(id, secret: "s") == nil)
    script.discards()
    #expect(script.record(id) == nil)
  }

  @Test func `a task that failed without bytes gets no token`() {
    var script = SchedulerScript()
    let id = script.add(taskSpec())
    let attempt = script.attempt ?? AttemptID(rawValue: 0)
    script.cancel(id, keepsBytes: true)
    script.settled(attempt, .cancelled)
    #expect(script.acknowledge(id, secret: "s") == nil)
    #expect(script.record(id) == nil)
  }
}
