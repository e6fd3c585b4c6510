"""What runs by itself: nightly sync, pushes, the closing report, the weekly audit, housekeeping.

Data flow: ``[schedule]`` settings -> jobs (:mod:`schedules.jobs`) -> child processes of
``shopmirror`` -> ``schedule.json`` (:mod:`pipelines.monitor.schedule_state`), which ``status``
reads.
"""
