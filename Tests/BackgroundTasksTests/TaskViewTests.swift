import BackgroundTasks
import Testing

struct TaskViewTests {
  @Test func `a view is told from another by its state`() {
    #expect(TaskView(state: .running) != TaskView(state: .suspended))
  }
}
